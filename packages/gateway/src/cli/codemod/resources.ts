import type ts from 'typescript'
import { isInline } from './handlers.ts'
import type { Change } from './registrations.ts'
import { propertyOf } from './resolve.ts'
import type { Rewrite } from './rewrite.ts'

/** `server.resource(name, uri | new ResourceTemplate(…), metadata?, read)`, and `registerResource`. */
export function rewriteResource(
  call: ts.CallExpression,
  method: ts.MemberName,
  { rewrite, resolver }: Change,
): void {
  const { ts } = rewrite
  const [name, place, ...rest] = call.arguments
  const read = rest.pop()
  if (!name || !place || !read) return
  const value = resolver.valueOf(place)
  const template = ts.isNewExpression(value) ? value : undefined
  rewrite.replaceNode(method, template ? 'template' : 'resource')
  rewrite.before(name, '{ name: ')
  if (template) rewriteTemplate(rewrite, place, template)
  else rewrite.before(place, 'uri: ')
  const [metadata] = rest
  if (metadata && ts.isObjectLiteralExpression(metadata)) {
    const { properties } = metadata
    const [first] = properties
    rewrite.replace(rewrite.startOf(metadata), first ? rewrite.startOf(first) : metadata.end, '')
    // Without members there is nothing between the commas.
    if (first) rewrite.replace(properties.at(-1)!.end, metadata.end, '')
    else rewrite.replace(metadata.end, rewrite.startOf(read), '')
  } else if (metadata) rewrite.before(metadata, '...')
  rewriteRead(rewrite, read, template !== undefined)
  rewrite.after(read, ' }')
}

function rewriteTemplate(rewrite: Rewrite, place: ts.Expression, template: ts.NewExpression): void {
  const { ts } = rewrite
  const [uri, callbacks] = template.arguments ?? []
  const complete =
    callbacks && ts.isObjectLiteralExpression(callbacks) ? propertyOf(callbacks, 'complete', ts) : undefined
  const list =
    callbacks && ts.isObjectLiteralExpression(callbacks) ? propertyOf(callbacks, 'list', ts) : undefined
  if (list && rewrite.textOf(list) !== 'undefined')
    rewrite.note(place, 'This template lists resources; register them with server.resource(…) instead')
  const members = [`uriTemplate: ${uri ? rewrite.textOf(uri) : "''"}`]
  if (complete) members.push(`complete: ${rewrite.textOf(complete)}`)
  rewrite.replaceNode(place, members.join(', '))
}

/** The official SDK passes a `URL` first. Handlers that only read its `href` take our text instead. */
function rewriteRead(rewrite: Rewrite, read: ts.Expression, isTemplate: boolean): void {
  const { ts } = rewrite
  const uri = isInline(rewrite, read) ? read.parameters[0] : undefined
  const others = isInline(rewrite, read) ? read.parameters.length - (isTemplate ? 2 : 1) : 1
  const uses = uri && isInline(rewrite, read) ? usesOf(rewrite, read, uri) : undefined
  if (!isInline(rewrite, read) || others > 0 || uses === undefined) {
    const [names, passed] = isTemplate
      ? ['variables, extra', 'new URL(extra.uri), variables, extra']
      : ['uri, extra', 'new URL(uri), extra']
    rewrite.before(read, `read: (${names}) => (`)
    rewrite.after(read, `)(${passed})`)
    return
  }
  rewrite.before(read, 'read: ')
  for (const use of uses) rewrite.replaceNode(use, rewrite.textOf(use.expression))
  if (!isTemplate || !uri) return
  const name = rewrite.textOf(uri.name)
  const variables = read.parameters[1]
  const context = uses.length === 0 ? '' : name === 'uri' ? ', { uri }' : `, { uri: ${name} }`
  const last = variables ?? uri
  rewrite.replace(
    rewrite.startOf(uri),
    last.end,
    `${variables ? rewrite.textOf(variables) : '_variables'}${context}`,
  )

  /** The places that read `uri.href`; undefined when the URL is used in another way. */
  function usesOf(
    at: Rewrite,
    handler: ts.ArrowFunction | ts.FunctionExpression,
    parameter: ts.ParameterDeclaration,
  ): ts.PropertyAccessExpression[] | undefined {
    const found: ts.PropertyAccessExpression[] = []
    let isOther = !ts.isIdentifier(parameter.name) || parameter.type !== undefined
    const visit = (node: ts.Node): void => {
      const isUse = ts.isIdentifier(node) && node.text === at.textOf(parameter.name)
      const { parent } = node
      if (
        isUse &&
        ts.isPropertyAccessExpression(parent) &&
        parent.expression === node &&
        parent.name.text === 'href'
      )
        found.push(parent)
      else if (isUse && !(ts.isPropertyAssignment(parent) && parent.name === node)) isOther = true
      ts.forEachChild(node, visit)
    }
    visit(handler.body)
    return isOther ? undefined : found
  }
}

import type ts from 'typescript'
import { propertyOf } from './resolve.ts'
import type { Rewrite } from './rewrite.ts'

const INFO = new Set(['name', 'version', 'title', 'description', 'websiteUrl', 'icons'])
const OPTIONS = new Set(['capabilities', 'instructions'])

/** `new McpServer(info, options)`: both arguments become one object. The name of the class is changed elsewhere. */
export function rewriteServer(rewrite: Rewrite, node: ts.NewExpression): void {
  const { ts } = rewrite
  const [info, options] = node.arguments ?? []
  if (!info) return
  rewrite.isConcerned = true
  if (!ts.isObjectLiteralExpression(info) || (options && !ts.isObjectLiteralExpression(options))) {
    const spread = [info, options].flatMap((part) => (part ? [`...${rewrite.textOf(part)}`] : []))
    rewrite.replace(rewrite.startOf(info), (options ?? info).end, `{ ${spread.join(', ')} }`)
    return
  }
  const lastOfInfo = dropUnknown(rewrite, info, INFO).at(-1)
  if (!options) return
  const [first] = dropUnknown(rewrite, options, OPTIONS)
  const from = lastOfInfo?.end ?? rewrite.startOf(info) + 1
  rewrite.replace(from, first ? rewrite.startOf(first) : options.end - 1, first ? ', ' : ' ')
}

/** Unknown members would be refused when the server starts, so they are left out with a note. Returns the others. */
function dropUnknown(
  rewrite: Rewrite,
  { properties }: ts.ObjectLiteralExpression,
  known: ReadonlySet<string>,
): ts.ObjectLiteralElementLike[] {
  return properties.filter((property) => {
    const name = property.name ? rewrite.textOf(property.name) : undefined
    if (name === undefined || known.has(name)) return true
    rewrite.note(property, `A server has no option \`${name}\`; it is left out`)
    const comma = /^\s*,/.exec(rewrite.file.text.slice(property.end))?.[0] ?? ''
    rewrite.replace(rewrite.startOf(property), property.end + comma.length, '')
    return false
  })
}

/** `await server.connect(transport)` on stdio. Other transports are for the author, and are named. */
export function rewriteConnect(rewrite: Rewrite, call: ts.CallExpression, server: ts.Expression): void {
  const { ts } = rewrite
  const [transport] = call.arguments
  if (!transport || call.arguments.length > 1) return
  const declaration = ts.isIdentifier(transport) ? declarationOf(rewrite, transport) : undefined
  const made = declaration?.initializer ?? transport
  if (!ts.isNewExpression(made)) return
  const kind = rewrite.textOf(made.expression)
  rewrite.isConcerned ||= kind.endsWith('ServerTransport')
  if (/^(StreamableHTTP|SSE)ServerTransport$/.test(kind))
    return rewrite.note(
      call,
      'Serve HTTP with toNodeHandler(server) of @gantry/mcp/server/node: once, for all sessions',
    )
  if (kind !== 'StdioServerTransport') return
  const owner = ts.isIdentifier(server) ? declarationOf(rewrite, server)?.initializer : undefined
  if (owner && ts.isNewExpression(owner) && rewrite.textOf(owner.expression) !== 'McpServer')
    return rewrite.note(
      call,
      'Give serveStdio of @gantry/mcp/server/node the server that is inside of this object',
    )
  if (declaration) dropStatement(rewrite, declaration.parent.parent)
  const serve = rewrite.use('serveStdio', '@gantry/mcp/server/node')
  rewrite.replaceNode(call, `${serve}(${rewrite.textOf(server)})`)
  // It resolves when the input ends, so it is not awaited where more is to be done.
  if (ts.isAwaitExpression(call.parent) && !isLast(rewrite, call.parent.parent))
    rewrite.replace(rewrite.startOf(call.parent), rewrite.startOf(call), 'void ')
}

function isLast({ ts }: Rewrite, statement: ts.Node): boolean {
  const { parent } = statement
  return !(ts.isBlock(parent) || ts.isSourceFile(parent)) || parent.statements.at(-1) === statement
}

function declarationOf(rewrite: Rewrite, name: ts.Identifier): ts.VariableDeclaration | undefined {
  const { ts } = rewrite
  let found: ts.VariableDeclaration | undefined
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && rewrite.textOf(node.name) === name.text) found = node
    ts.forEachChild(node, visit)
  }
  visit(rewrite.file)
  return found
}

function dropStatement(rewrite: Rewrite, statement: ts.Node): void {
  const { text } = rewrite.file
  const start = rewrite.startOf(statement)
  const lineStart = text.lastIndexOf('\n', start) + 1
  const isAlone = text.slice(lineStart, start).trim() === '' && text[statement.end] === '\n'
  rewrite.replace(isAlone ? lineStart : start, isAlone ? statement.end + 1 : statement.end, '')
}

const ANNOUNCEMENTS: ReadonlyMap<string, string> = new Map([
  ['sendToolListChanged', 'notifyToolsListChanged'],
  ['sendPromptListChanged', 'notifyPromptsListChanged'],
  ['sendResourceListChanged', 'notifyResourcesListChanged'],
])

/** Announcements, and what goes around the class by `server.server`. Returns whether the call was one of them. */
export function rewriteLowLevel(
  rewrite: Rewrite,
  call: ts.CallExpression,
  receiver: ts.Expression,
  name: ts.MemberName,
): boolean {
  const { ts } = rewrite
  const isBelow =
    ts.isPropertyAccessExpression(receiver) &&
    receiver.name.text === 'server' &&
    isServer(receiver.expression)
  const owner = isBelow ? receiver.expression : receiver
  const ours = ANNOUNCEMENTS.get(name.text)
  const [params] = call.arguments
  rewrite.isConcerned ||= isBelow || ours !== undefined
  if (ours !== undefined) {
    rewrite.replace(rewrite.startOf(receiver), name.end, `${rewrite.textOf(owner)}.${ours}`)
    return true
  }
  const literal = params && ts.isObjectLiteralExpression(params) ? params : undefined
  const uri = literal && propertyOf(literal, 'uri', ts)
  if (name.text === 'sendResourceUpdated' && uri) {
    rewrite.replaceNode(call, `${rewrite.textOf(owner)}.notifyResourceUpdated(${rewrite.textOf(uri)})`)
    return true
  }
  if (!isBelow) return false
  rewrite.note(
    call,
    `\`${rewrite.textOf(call.expression)}\` reaches below the server; see docs/coming-from-official-sdks.md`,
  )
  return true

  function isServer(node: ts.Expression): boolean {
    return /(server|mcp)$/i.test(rewrite.textOf(node))
  }
}

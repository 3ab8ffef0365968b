import type ts from 'typescript'
import { isInline, rewriteContext, rewriteToolHandler } from './handlers.ts'
import { type Kind, propertyOf, type SymbolResolver } from './resolve.ts'
import type { Rewrite } from './rewrite.ts'

/** Our names for the members of the options of tools and prompts. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['inputSchema', 'input'],
  ['outputSchema', 'output'],
  ['argsSchema', 'input'],
])

/**
 * `server.tool(name, description, shape, hints, handler)`, and the same of a prompt: everything but ends is optional.
 */
export function rewritePositional(call: ts.CallExpression, kind: 'tool' | 'prompt', change: Change): void {
  const [name, ...rest] = call.arguments
  const handler = rest.pop()
  if (!name || !handler) return
  const { rewrite } = change
  const roles = rest.map((argument, at) => roleOf(change.resolver.kindOf(argument), at, rest.length))
  const takesArguments = roles.includes('input')
  const [first = handler] = rest
  rewrite.before(first, '{ ')
  rest.forEach((argument, at) => {
    rewrite.before(argument, `${roles[at]}: `)
    if (roles[at] === 'input') wrapShape(change, argument)
  })
  rewrite.before(handler, 'run: ')
  rewriteHandler(change, handler, kind, { takesArguments, hasOutput: false })
  rewrite.after(handler, ' }')
}

/** Where the text does not tell, the place does: the description stands first, the hints behind the schema. */
function roleOf(kind: Kind, at: number, count: number): 'description' | 'input' | 'annotations' {
  if (kind === 'text') return 'description'
  if (kind === 'hints') return 'annotations'
  if (kind === 'shape' || kind === 'schema') return 'input'
  return at === 0 && count > 1 ? 'description' : at === 2 ? 'annotations' : 'input'
}

/** `server.registerTool(name, options, handler)`, and the same of a prompt. */
export function rewriteRegistered(call: ts.CallExpression, kind: 'tool' | 'prompt', change: Change): void {
  const { rewrite, resolver } = change
  const { ts } = rewrite
  const [, options, handler] = call.arguments
  if (!options || !handler) return
  const literal = resolver.valueOf(options)
  if (!ts.isObjectLiteralExpression(literal)) {
    rewrite.note(options, `Rename ${[...MEMBERS.keys()].join(', ')} in these options by hand`)
    return
  }
  const takesArguments = ['inputSchema', 'argsSchema'].some((name) => propertyOf(literal, name, ts))
  const hasOutput = propertyOf(literal, 'outputSchema', ts) !== undefined
  if (literal === options) rewriteMembers(change, literal)
  else rewrite.replaceNode(options, `{ ${membersOf(change, options, literal).join(', ')}`)
  const last =
    literal === options ? (literal.properties.at(-1)?.end ?? rewrite.startOf(literal) + 1) : options.end
  const isEmpty = literal.properties.length === 0
  rewrite.replace(last, rewrite.startOf(handler), isEmpty ? ' run: ' : ', run: ')
  rewriteHandler(change, handler, kind, { takesArguments, hasOutput })
  rewrite.after(handler, ' }')
}

function rewriteMembers(change: Change, literal: ts.ObjectLiteralExpression): void {
  const { rewrite } = change
  const { ts } = rewrite
  for (const property of literal.properties) {
    const ours = property.name && MEMBERS.get(rewrite.textOf(property.name))
    if (ours === undefined) continue
    if (ts.isShorthandPropertyAssignment(property)) rewrite.before(property.name, `${ours}: `)
    else rewrite.replaceNode(property.name!, ours)
    wrapShape(
      change,
      ts.isPropertyAssignment(property) ? property.initializer : (property.name as ts.Identifier),
    )
  }
}

/** Options that stand elsewhere stay there; what differs is taken from them by its name. */
function membersOf(change: Change, options: ts.Expression, literal: ts.ObjectLiteralExpression): string[] {
  const { rewrite, resolver } = change
  const name = rewrite.textOf(options)
  return literal.properties.map((property) => {
    const member = property.name!.getText()
    const ours = MEMBERS.get(member)
    if (ours === undefined) return `${member}: ${name}.${member}`
    const value = propertyOf(literal, member, rewrite.ts)
    const isSchema = value && resolver.kindOf(value) === 'schema'
    return `${ours}: ${isSchema ? `${name}.${member}` : `${change.zod()}.object(${name}.${member})`}`
  })
}

/** `{ a: z.string() }` becomes `z.object({ a: z.string() })`; a schema stays what it is. */
function wrapShape({ rewrite, resolver, zod }: Change, node: ts.Expression): void {
  const kind = resolver.kindOf(node)
  if (kind === 'schema') return
  if (kind === 'unknown') rewrite.note(node, 'Leave z.object(…) out if this is a schema and no plain object')
  rewrite.before(node, `${zod()}.object(`)
  rewrite.after(node, ')')
}

function rewriteHandler(
  { rewrite }: Change,
  handler: ts.Expression,
  kind: 'tool' | 'prompt',
  options: { takesArguments: boolean; hasOutput: boolean },
): void {
  if (kind === 'tool') return rewriteToolHandler(rewrite, handler, options)
  if (isInline(rewrite, handler)) {
    rewriteContext(rewrite, handler, options.takesArguments ? 1 : 0)
    if (!options.takesArguments && handler.parameters.length > 0)
      rewrite.before(handler.parameters[0]!, '_args, ')
  } else if (!options.takesArguments) {
    rewrite.before(handler, '(_args, extra) => (')
    rewrite.after(handler, ')(extra)')
  }
}

/** The state of rewriting one file. */
export interface Change {
  readonly rewrite: Rewrite
  readonly resolver: SymbolResolver
  /** The name of zod in this file. */
  zod(): string
}

import type ts from 'typescript'
import type { Rewrite } from './rewrite.ts'

const SERVER = '@gantry/mcp/server'

type Inline = ts.ArrowFunction | ts.FunctionExpression

/** The members of a handler's context, by their names in both SDKs. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['signal', 'signal'],
  ['authInfo', 'auth'],
  ['_meta', 'meta'],
])

/** Makes `run` of a tool's handler. `takesArguments`: without a schema the official SDK passes its context first. */
export function rewriteToolHandler(
  rewrite: Rewrite,
  handler: ts.Expression,
  options: { takesArguments: boolean; hasOutput: boolean },
): void {
  if (!isInline(rewrite, handler)) {
    const [names, passed] = options.takesArguments
      ? ['args, extra', 'args, extra']
      : ['_args, extra', 'extra']
    const result = rewrite.use('ToolResult', SERVER)
    rewrite.before(handler, `async (${names}) => new ${result}(await (`)
    rewrite.after(handler, `)(${passed}))`)
    rewrite.note(
      handler,
      'Errors that this handler throws are hidden from clients; throw ToolError to show one',
    )
    return
  }
  rewriteContext(rewrite, handler, options.takesArguments ? 1 : 0)
  if (!options.takesArguments && handler.parameters.length > 0)
    rewrite.before(handler.parameters[0]!, '_args, ')
  rewriteReturns(rewrite, handler, options.hasOutput)
  rewriteThrows(rewrite, handler.body)
}

export function isInline(rewrite: Rewrite, node: ts.Expression): node is Inline {
  return rewrite.ts.isArrowFunction(node) || rewrite.ts.isFunctionExpression(node)
}

/** Renames the members of the context that handlers read, and notes members that do not exist. */
export function rewriteContext(rewrite: Rewrite, handler: Inline, at: number): void {
  const { ts } = rewrite
  if (handler.type) dropType(rewrite, handler.type)
  const parameter = handler.parameters[at]
  if (!parameter) return
  if (parameter.type) dropType(rewrite, parameter.type)
  if (!ts.isIdentifier(parameter.name)) {
    rewrite.note(
      parameter,
      'Compare what is taken from the context here with `Context` of @gantry/mcp/server',
    )
    return
  }
  const name = parameter.name.text
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isPropertyAccessExpression(node) || rewrite.textOf(node.expression) !== name) return
    const ours = NAMES.get(node.name.text)
    if (ours !== undefined) rewrite.replaceNode(node.name, ours)
    else rewrite.note(node, `\`${name}.${node.name.text}\` has no counterpart of that name in \`Context\``)
  }
  visit(handler.body)
}

/** The type of our context is inferred, and the type of the result is different. */
function dropType(rewrite: Rewrite, type: ts.TypeNode): void {
  const colon = rewrite.file.text.lastIndexOf(':', rewrite.startOf(type))
  rewrite.replace(colon, type.end, '')
}

function rewriteReturns(rewrite: Rewrite, handler: Inline, hasOutput: boolean): void {
  const { ts } = rewrite
  let waits = false
  const change = (value: ts.Expression): void => {
    waits = rewriteResult(rewrite, value, hasOutput) || waits
  }
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression) change(node.expression)
    else ts.forEachChild(node, visit)
  }
  if (ts.isBlock(handler.body)) ts.forEachChild(handler.body, visit)
  else change(handler.body)
  const isAsync = handler.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
  if (waits && !isAsync) rewrite.before(handler, 'async ')
}

/** Returns whether the result has to be waited for: only what is written out in place is known to be no promise. */
function rewriteResult(rewrite: Rewrite, value: ts.Expression, hasOutput: boolean): boolean {
  const { ts } = rewrite
  const inner = ts.isParenthesizedExpression(value) ? value.expression : value
  if (!ts.isObjectLiteralExpression(inner)) {
    rewrite.before(
      value,
      `new ${rewrite.use('ToolResult', SERVER)}(${ts.isAwaitExpression(value) ? '' : 'await '}`,
    )
    rewrite.after(value, ')')
    return true
  }
  const words = hasOutput ? undefined : onlyText(rewrite, inner)
  if (words) {
    const isText = ts.isStringLiteralLike(words) || ts.isTemplateExpression(words)
    rewrite.replace(
      rewrite.startOf(value),
      rewrite.startOf(words),
      isText ? '' : `${rewrite.use('text', SERVER)}(`,
    )
    rewrite.replace(words.end, value.end, isText ? '' : ')')
    return false
  }
  rewrite.before(value, `new ${rewrite.use('ToolResult', SERVER)}${inner === value ? '(' : ''}`)
  if (inner === value) rewrite.after(value, ')')
  return false
}

/** The text of `{ content: [{ type: 'text', text }] }`, where there is nothing else. */
function onlyText(rewrite: Rewrite, literal: ts.ObjectLiteralExpression): ts.Expression | undefined {
  const { ts } = rewrite
  const content = onlyMember(literal, 'content')
  const blocks = content && ts.isArrayLiteralExpression(content) ? content.elements : undefined
  const block = blocks?.length === 1 ? blocks[0]! : undefined
  if (!block || !ts.isObjectLiteralExpression(block) || block.properties.length !== 2) return undefined
  const members = Object.fromEntries(
    block.properties.flatMap((property) =>
      ts.isPropertyAssignment(property) ? [[rewrite.textOf(property.name), property.initializer]] : [],
    ),
  ) as Record<string, ts.Expression | undefined>
  const isText = members.type && ts.isStringLiteral(members.type) && members.type.text === 'text'
  return isText ? members.text : undefined

  function onlyMember(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
    const [property, ...others] = object.properties
    if (!property || others.length > 0 || !ts.isPropertyAssignment(property)) return undefined
    return rewrite.textOf(property.name) === name ? property.initializer : undefined
  }
}

/** The official SDK shows the text of every exception to the client. Here only `ToolError` is meant for it. */
function rewriteThrows(rewrite: Rewrite, body: ts.Node): void {
  const { ts } = rewrite
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isThrowStatement(node) || !node.expression || !ts.isNewExpression(node.expression)) return
    const thrown = node.expression.expression
    if (rewrite.textOf(thrown) === 'Error') rewrite.replaceNode(thrown, rewrite.use('ToolError', SERVER))
  }
  visit(body)
}

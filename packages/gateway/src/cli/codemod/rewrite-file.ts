import type ts from 'typescript'
import type { TypeScript } from './load-typescript.ts'
import { type Change, rewritePositional, rewriteRegistered } from './registrations.ts'
import { SymbolResolver } from './resolve.ts'
import { rewriteResource } from './resources.ts'
import { type Note, Rewrite } from './rewrite.ts'
import { rewriteConnect, rewriteLowLevel, rewriteServer } from './servers.ts'

const OFFICIAL = '@modelcontextprotocol/sdk'
const SERVER = '@gantry/mcp/server'
const GONE = new Set(['McpServer', 'ResourceTemplate', 'StdioServerTransport'])

export interface RewrittenFile {
  readonly text: string
  readonly notes: readonly Note[]
  /** The modules of npm that the new text imports, as far as the codemod cares. */
  readonly imports: readonly string[]
}

/** Rewrites a file that registers with an official `McpServer`; undefined when there is nothing to do in it. */
export function rewriteFile(path: string, text: string, typescript: TypeScript): RewrittenFile | undefined {
  const resolver = new SymbolResolver(typescript)
  const rewrite = new Rewrite(typescript, resolver.parse(path, text))
  const zod = zodIn(rewrite)
  const change: Change = { rewrite, resolver, zod: () => zod?.name ?? rewrite.use('z', 'zod') }
  visitCalls(change)
  if (!rewrite.isConcerned) return undefined
  if (isCommonJs(rewrite)) {
    const message = 'This file is CommonJS; @gantry/mcp is ESM, so turn it into a module first'
    return { text, notes: [{ line: 1, message }], imports: [OFFICIAL] }
  }
  renameServer(rewrite)
  if (zod) rewriteZod(rewrite, zod)
  const left = rewriteImports(rewrite)
  const imports = [...left, ...rewrite.imports.keys(), ...(zod ? ['zod'] : [])]
  return { text: rewrite.toString(), notes: rewrite.notes.sort((a, b) => a.line - b.line), imports }
}

function visitCalls(change: Change): void {
  const { rewrite } = change
  const { ts } = rewrite
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (ts.isNewExpression(node) && rewrite.textOf(node.expression) === 'McpServer')
      rewriteServer(rewrite, node)
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return
    const { expression: receiver, name } = node.expression
    if (name.text === 'connect') return rewriteConnect(rewrite, node, receiver)
    if (rewriteLowLevel(rewrite, node, receiver, name)) return
    if (!isRegistration(rewrite, node, receiver, name.text)) return
    rewrite.isConcerned = true
    const kind = /tool/i.test(name.text) ? 'tool' : 'prompt'
    if (/resource/i.test(name.text)) return rewriteResource(node, name, change)
    if (name.text.startsWith('register')) {
      rewriteRegistered(node, kind, change)
      rewrite.replaceNode(name, kind)
    } else rewritePositional(node, kind, change)
    if (ts.isVariableDeclaration(node.parent))
      rewrite.note(
        node,
        `server.${kind}(…) returns the server; server.${kind}(name) gives what changes and removes it`,
      )
  }
  visit(rewrite.file)
}

/** A file that requires and does not import. */
function isCommonJs({ ts, file }: Rewrite): boolean {
  return /\brequire\(/.test(file.text) && !file.statements.some((node) => ts.isImportDeclaration(node))
}

/**
 * `registerTool` tells what it is; `tool`, `prompt` and `resource` are common words, so their owner must look right.
 */
function isRegistration(rewrite: Rewrite, call: ts.CallExpression, receiver: ts.Node, name: string): boolean {
  if (/^register(Tool|Prompt|Resource)$/.test(name)) return call.arguments.length >= 3
  if (!/^(tool|prompt|resource)$/.test(name) || call.arguments.length < 2) return false
  // Ours ends with its options.
  if (rewrite.ts.isObjectLiteralExpression(call.arguments.at(-1)!)) return false
  return /(server|mcp)$/i.test(rewrite.textOf(receiver))
}

/** Types and subclasses keep the name of the class. */
function renameServer(rewrite: Rewrite): void {
  const { ts } = rewrite
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return
    if (ts.isIdentifier(node) && node.text === 'McpServer') {
      rewrite.replaceNode(node, rewrite.use('Server', SERVER))
      if (ts.isHeritageClause(node.parent.parent))
        rewrite.note(node, 'Look at this subclass: the constructor differs')
    }
    ts.forEachChild(node, visit)
  }
  visit(rewrite.file)
}

/** Removes unused imports and adds the needed ones. Returns the modules of the official SDK that are left. */
function rewriteImports(rewrite: Rewrite): string[] {
  const { ts } = rewrite
  const left: string[] = []
  const declarations = rewrite.file.statements.filter((node) => ts.isImportDeclaration(node))
  const added = [...rewrite.imports].map(
    ([from, names]) => `import { ${[...names].sort().join(', ')} } from '${from}'`,
  )
  let place = declarations[0] ?? rewrite.file.statements[0]!
  for (const declaration of declarations) {
    const { text: from } = declaration.moduleSpecifier as ts.StringLiteral
    if (!from.startsWith(OFFICIAL)) continue
    const bindings = declaration.importClause?.namedBindings
    const names = bindings && ts.isNamedImports(bindings) ? bindings.elements : undefined
    const kept = names?.filter(({ name, propertyName }) => !GONE.has((propertyName ?? name).text))
    if (kept?.length === names?.length) {
      left.push(OFFICIAL)
      continue
    }
    if (kept!.length > 0) {
      left.push(OFFICIAL)
      rewrite.replaceNode(bindings!, `{ ${kept!.map((name) => rewrite.textOf(name)).join(', ')} }`)
      rewrite.note(
        declaration,
        `${kept!.map(({ name }) => name.text).join(', ')} still come from the official SDK`,
      )
    } else if (added.length > 0) {
      place = declaration
      rewrite.replaceNode(declaration, added.splice(0).join('\n'))
    } else rewrite.replace(rewrite.startOf(declaration), declaration.end + 1, '')
  }
  if (added.length > 0) rewrite.before(place, `${added.join('\n')}\n`)
  return left
}

/** Rewrites code that zod 4 refuses: its old entry, and records without a schema for their keys. */
function rewriteZod(
  rewrite: Rewrite,
  { name, specifier }: { name: string; specifier: ts.StringLiteral },
): void {
  const { ts } = rewrite
  if (specifier.text === 'zod/v3') rewrite.replaceNode(specifier, "'zod'")
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isCallExpression(node) || node.arguments.length !== 1) return
    if (/^(\w+)\.record$/.exec(rewrite.textOf(node.expression))?.[1] === name)
      rewrite.before(node.arguments[0]!, `${name}.string(), `)
  }
  visit(rewrite.file)
}

/** How the file calls zod, and where it takes it from. */
function zodIn(rewrite: Rewrite): { name: string; specifier: ts.StringLiteral } | undefined {
  const { ts } = rewrite
  for (const node of rewrite.file.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue
    const specifier = node.moduleSpecifier
    if (!/^zod(\/v[34])?$/.test(specifier.text) || node.importClause?.isTypeOnly) continue
    const { namedBindings, name } = node.importClause ?? {}
    if (name) return { name: name.text, specifier }
    if (namedBindings && ts.isNamespaceImport(namedBindings))
      return { name: namedBindings.name.text, specifier }
    const z = namedBindings?.elements.find((element) => (element.propertyName ?? element.name).text === 'z')
    if (z) return { name: z.name.text, specifier }
  }
  return undefined
}

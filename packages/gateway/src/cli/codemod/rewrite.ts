import type ts from 'typescript'
import type { TypeScript } from './load-typescript.ts'

/** Something that the codemod leaves to the author. */
export interface Note {
  readonly line: number
  readonly message: string
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The changes of one file: pieces of text that are put in, taken out or replaced. The rest stays as it was written. */
export class Rewrite {
  readonly ts: TypeScript
  readonly file: ts.SourceFile
  readonly notes: Note[] = []
  /** Names to import, by module. */
  readonly imports: Map<string, Set<string>> = new Map()
  readonly #edits: Edit[] = []
  readonly #names: ReadonlySet<string>

  constructor(typescript: TypeScript, file: ts.SourceFile) {
    this.ts = typescript
    this.file = file
    this.#names = boundNames(typescript, file)
  }

  /** Whether the file makes or serves an official server, or registers with one. */
  isConcerned: boolean = false

  before(node: ts.Node, text: string): void {
    this.replace(this.startOf(node), this.startOf(node), text)
  }

  after(node: ts.Node, text: string): void {
    this.replace(node.end, node.end, text)
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text })
  }

  replaceNode(node: ts.Node, text: string): void {
    this.replace(this.startOf(node), node.end, text)
  }

  startOf(node: ts.Node): number {
    return node.getStart(this.file)
  }

  textOf(node: ts.Node): string {
    return node.getText()
  }

  note(node: ts.Node, message: string): void {
    const { line } = this.file.getLineAndCharacterOfPosition(this.startOf(node))
    this.notes.push({ line: line + 1, message })
  }

  /** Imports a name of a module; returns what it is called here, where the name may be taken. */
  use(name: string, from: string): string {
    const names = this.imports.get(from) ?? new Set()
    this.imports.set(from, names)
    const local = this.#names.has(name) ? `Gantry${name[0]!.toUpperCase()}${name.slice(1)}` : name
    names.add(local === name ? name : `${name} as ${local}`)
    return local
  }

  /** The text with all changes. Several insertions at one place stand in the order in which they were asked for. */
  toString(): string {
    const text = this.file.text
    const ordered = this.#edits.map((edit, at) => ({ ...edit, at }))
    ordered.sort((a, b) => a.start - b.start || a.end - b.end || a.at - b.at)
    let result = ''
    let done = 0
    for (const { start, end, text: put } of ordered) {
      result += text.slice(done, start) + put
      done = Math.max(done, end)
    }
    return result + text.slice(done)
  }
}

/** Every name that the file declares. Names of the official SDK are left out: they go away, so they can be used. */
function boundNames(typescript: TypeScript, file: ts.SourceFile): Set<string> {
  const names = new Set<string>()
  const visit = (node: ts.Node): void => {
    const declared = (node as { name?: ts.Node }).name
    const isOfficial =
      typescript.isImportSpecifier(node) && /^@modelcontextprotocol\/sdk/.test(moduleOf(typescript, node))
    if (declared && typescript.isIdentifier(declared) && !typescript.isPropertyAccessExpression(node))
      if (!isOfficial && !typescript.isPropertyAssignment(node)) names.add(declared.text)
    typescript.forEachChild(node, visit)
  }
  visit(file)
  return names
}

function moduleOf(typescript: TypeScript, node: ts.ImportSpecifier): string {
  const { moduleSpecifier } = node.parent.parent.parent
  return typescript.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
}

import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'
import { type Edit, indentAt, lineEnd, lineStart, splice, styleOf } from './plan-edits.ts'
import type { ConfigPath } from '../problem.ts'

/** Applies one edit to JSON with comments. jsonc-parser's `modify` would move or remove comments. */
export function editJsonc(text: string, edit: Edit): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  if (!root) throw new Error('There is nothing to edit')
  if (edit.type === 'replace') return replaceValue(text, nodeAt(root, edit.path), edit.value)
  if (edit.type === 'remove') return removeEntry(text, entryAt(root, edit.path))
  const container = nodeAt(root, edit.path.slice(0, -1))
  return insertEntry(text, container, edit.path.at(-1)!, edit.value)
}

export function renameJsoncKey(text: string, path: ConfigPath, key: string): string {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const name = root && entryAt(root, path).children?.[0]
  return name ? splice(text, name.offset, endOf(name), JSON.stringify(key)) : text
}

function replaceValue(text: string, node: Node, value: unknown): string {
  return splice(text, node.offset, endOf(node), write(text, value, indentAt(text, node.offset)))
}

function insertEntry(text: string, container: Node, key: string | number, value: unknown): string {
  const { indent, eol } = styleOf(text)
  const last = container.children?.at(-1)
  const inner = last ? indentAt(text, last.offset) : indentAt(text, container.offset) + indent
  const isInline = last !== undefined && !text.slice(container.offset, endOf(container)).includes('\n')
  const entry =
    (container.type === 'object' ? `${JSON.stringify(key)}: ` : '') + write(text, value, inner, isInline)
  if (!last) return insertFirst(text, container, { entry, inner, eol })
  const comma = commaAfter(text, endOf(last))
  if (isInline) {
    const at = comma === undefined ? endOf(last) : comma + 1
    return splice(text, at, at, comma === undefined ? `, ${entry}` : ` ${entry},`)
  }
  // The line may go on with a comment about the last entry; it stays with it.
  const at = restOfLine(text, comma === undefined ? endOf(last) : comma + 1)
  const added = splice(text, at, at, `${eol}${inner}${entry}${comma === undefined ? '' : ','}`)
  return comma === undefined ? splice(added, endOf(last), endOf(last), ',') : added
}

function insertFirst(
  text: string,
  container: Node,
  { entry, inner, eol }: { entry: string; inner: string; eol: string },
): string {
  const close = endOf(container) - 1
  const inside = text.slice(container.offset + 1, close).trimEnd()
  const outer = indentAt(text, container.offset)
  return splice(text, container.offset + 1, close, `${inside}${eol}${inner}${entry}${eol}${outer}`)
}

/** Takes an entry out with its comma and the rest of its line; comments on lines of their own stay. */
function removeEntry(text: string, entry: Node): string {
  const siblings = entry.parent?.children ?? []
  const previous = siblings[siblings.indexOf(entry) - 1]
  const comma = commaAfter(text, endOf(entry))
  const start = lineStart(text, entry.offset)
  const end = restOfLine(text, comma === undefined ? endOf(entry) : comma + 1)
  const hasOwnLines = text.slice(start, entry.offset).trim() === '' && end === lineEnd(text, end)
  const cut = hasOwnLines
    ? splice(text, Math.max(0, start - 1), end, '')
    : splice(text, entry.offset, comma === undefined ? endOf(entry) : skipSpaces(text, comma + 1), '')
  if (!previous && siblings.length === 1) return hasOwnLines ? cut : closeUp(cut, entry.offset)
  if (comma !== undefined || !previous) return cut
  const trailing = commaAfter(text, endOf(previous))
  const withoutComma = trailing === undefined ? cut : splice(cut, trailing, trailing + 1, '')
  return hasOwnLines ? withoutComma : trimBeforeClose(withoutComma, endOf(previous))
}

/** `{  }` after the only entry of a line was taken out. */
function closeUp(text: string, offset: number): string {
  const before = text.slice(0, offset).trimEnd()
  const after = text.slice(offset).trimStart()
  return /[{[]$/.test(before) && /^[}\]]/.test(after) ? before + after : text
}

/** After an inline removal, as in `{ "a": 1 , }`, several spaces are left; keeps one of them. */
function trimBeforeClose(text: string, offset: number): string {
  const spaces = /^[ \t]+/.exec(text.slice(offset))?.[0].length ?? 0
  return spaces > 1 ? splice(text, offset, offset + spaces, ' ') : text
}

function write(text: string, value: unknown, base: string, isInline = false): string {
  if (isInline) return JSON.stringify(value)
  const { indent, eol } = styleOf(text)
  return printJson(value, indent).replaceAll('\n', `${eol}${base}`)
}

/** Offset of the comma that follows a value, comments apart. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(offset)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getTokenOffset() : undefined
}

/** After the spaces and comments that follow on the same line; the offset itself when something else does. */
function restOfLine(text: string, offset: number): number {
  const rest = text.slice(offset, lineEnd(text, offset))
  const comments = /^(?:[ \t]*\/\*.*?\*\/)*[ \t]*(?:\/\/.*)?/.exec(rest)![0]
  return comments.length === rest.length ? offset + rest.length : offset
}

function skipSpaces(text: string, offset: number): number {
  return offset + /^[ \t]*/.exec(text.slice(offset))![0].length
}

function nodeAt(root: Node, path: ConfigPath): Node {
  const node = findNodeAtLocation(root, [...path])
  if (!node) throw new Error(`There is nothing at ${path.join('.')}`)
  return node
}

/** The property for a key, the value itself for an entry of a list. */
function entryAt(root: Node, path: ConfigPath): Node {
  const node = nodeAt(root, path)
  return node.parent?.type === 'property' ? node.parent : node
}

function endOf(node: Node): number {
  return node.offset + node.length
}

const LINE = 80

/** JSON as people write it: a short list of plain values stays on its line. */
function printJson(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    const line = `[${value.map((entry) => JSON.stringify(entry)).join(', ')}]`
    const isPlain = value.every((entry) => typeof entry !== 'object' || entry === null)
    if (value.length === 0 || (isPlain && line.length <= LINE)) return line
    return wrap(
      value.map((entry) => printJson(entry, indent)),
      '[]',
      indent,
    )
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const present = Object.entries(value).filter(([, part]) => part !== undefined)
  if (present.length === 0) return '{}'
  return wrap(
    present.map(([key, part]) => `${JSON.stringify(key)}: ${printJson(part, indent)}`),
    '{}',
    indent,
  )
}

function wrap(entries: readonly string[], brackets: string, indent: string): string {
  const lines = entries.map((entry) => indent + entry.replaceAll('\n', `\n${indent}`))
  return `${brackets[0]}\n${lines.join(',\n')}\n${brackets[1]}`
}

import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  stringify,
} from 'yaml'
import { type Edit, lineEnd, lineStart, splice, styleOf } from './plan-edits.ts'
import type { ConfigPath } from '../problem.ts'

/** Edits only the lines concerned, to keep the form of the rest. Throws where that is impossible. */
export function editYaml(text: string, edit: Edit): string {
  const document = parseDocument(text)
  if (edit.type === 'replace') return replaceValue(text, document, edit.path, edit.value)
  if (edit.type === 'remove') return removeEntry(text, document, edit.path)
  return insertEntry(text, document, edit.path, edit.value)
}

/** The same on the parsed document: always right, but the form of the text is the printer's. */
export function reprintYaml(text: string, edits: readonly Edit[]): string {
  const document = parseDocument(text)
  for (const edit of edits) {
    if (edit.type === 'remove') document.deleteIn(edit.path)
    else if (edit.path.length === 0) document.contents = document.createNode(edit.value) as never
    else setAt(document, edit.path, edit.value)
  }
  return document.toString({ lineWidth: 0, indent: styleOf(text).indent.length })
}

function setAt(document: Document, path: ConfigPath, value: unknown): void {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  // Brackets are for what fits on a line; an empty collection has them because there is no other way.
  if (isCollection(parent) && parent.items.length === 0) parent.flow = false
  document.setIn(path, document.createNode(value))
}

export function renameYamlKey(text: string, path: ConfigPath, key: string): string {
  const { key: node } = entryAt(parseDocument(text), path)
  if (!node) throw new Error('There is no such key')
  return splice(text, startOf(node), endOf(node), printScalar(key))
}

function replaceValue(text: string, document: Document, path: ConfigPath, value: unknown): string {
  const { key, value: node, parent } = entryAt(document, path)
  const isInFlow = isFlow(document, path)
  if (isInFlow || (isScalar(node) && !isComplex(value) && !isBlockScalar(text, node))) {
    if (!node) throw new Error('There is no value')
    return splice(text, startOf(node), endOf(node), printFlow(value))
  }
  if (!key || !isMap(parent)) throw new Error('An entry of a list is printed again')
  const colon = text.indexOf(':', endOf(key))
  const end = node && endOf(node) > colon ? trimmedEnd(text, node) : colon + 1
  return splice(text, colon + 1, end, printAfterKey(text, value, columnOf(text, startOf(key))))
}

function insertEntry(text: string, document: Document, path: ConfigPath, value: unknown): string {
  const around = path.slice(0, -1)
  const parent = around.length === 0 ? document.contents : document.getIn(around, true)
  if (parent === null)
    return `${text}${/(^|\n)$/.test(text) ? '' : '\n'}${stringify({ [path[0]!]: value }, { lineWidth: 0 })}`
  if (!isCollection(parent)) throw new Error('There is nothing to insert into')
  if (parent.items.length === 0) return replaceValue(text, document, around, { [path.at(-1)!]: value })
  const key = isMap(parent) ? `${printScalar(String(path.at(-1)))}:` : '-'
  const { eol } = styleOf(text)
  if (parent.flow) {
    const last = text.slice(0, endOf(parent) - 1).trimEnd()
    const entry = isMap(parent) ? `${key} ${printFlow(value)}` : printFlow(value)
    return splice(text, last.length, last.length, `${last.endsWith(',') ? '' : ','} ${entry}`)
  }
  const column = columnOf(text, startOf(firstNode(parent)))
  const at = lineEnd(text, trimmedEnd(text, parent))
  const indent = ' '.repeat(isSeq(parent) ? dashColumn(text, parent) : column)
  return splice(text, at, at, `${eol}${indent}${key}${printAfterKey(text, value, indent.length)}`)
}

function removeEntry(text: string, document: Document, path: ConfigPath): string {
  const { key, value, parent } = entryAt(document, path)
  const first = key ?? value
  if (!first || !isCollection(parent) || parent.flow || parent.items.length < 2)
    throw new Error('Print it again')
  const start = lineStart(text, startOf(first))
  const before = text.slice(start, startOf(first)).trim()
  if (before !== (key ? '' : '-')) throw new Error('The line holds more than the entry')
  const end = lineEnd(text, value ? trimmedEnd(text, value) : endOf(first))
  const afterBreak = text.indexOf('\n', end)
  return splice(text, start, afterBreak < 0 ? text.length : afterBreak + 1, '')
}

function entryAt(
  document: Document,
  path: ConfigPath,
): { key: Node | undefined; value: Node | undefined; parent: unknown } {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true)
  const step = path.at(-1)
  const toNode = (part: unknown) => (isNode(part) && part.range ? part : undefined)
  if (isSeq(parent)) return { key: undefined, value: toNode(parent.items[Number(step)]), parent }
  if (!isMap(parent)) throw new Error('There is nothing to edit')
  const pair = parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step))
  return { key: toNode(pair?.key), value: toNode(pair?.value), parent }
}

/** Whether some collection on the way is written with brackets, where new lines are out of place. */
function isFlow(document: Document, path: ConfigPath): boolean {
  return path.some((_, depth) => {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    return isCollection(node) && node.flow === true
  })
}

function printAfterKey(text: string, value: unknown, column: number): string {
  const { eol, indent } = styleOf(text)
  const isBlock = isComplex(value)
  const printed = stringify(value, { lineWidth: 0, indent: indent.length }).trimEnd()
  const inner = ' '.repeat(column + indent.length)
  if (!isBlock) return ` ${printed.replaceAll(/\n(?=.)/g, `${eol}${' '.repeat(column)}`)}`
  return `${eol}${inner}${printed.replaceAll(/\n(?=.)/g, `${eol}${inner}`)}`
}

/** Objects and lists with something in them; the others fit on the line of their key. */
function isComplex(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function printFlow(value: unknown): string {
  return isComplex(value) ? JSON.stringify(value) : printScalar(value)
}

function printScalar(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd()
}

function isBlockScalar(text: string, node: Node): boolean {
  return ['|', '>'].includes(text[startOf(node)] ?? '')
}

function dashColumn(text: string, seq: { items: unknown[] }): number {
  const first = seq.items[0] as Node
  return columnOf(text, text.lastIndexOf('-', startOf(first)))
}

function firstNode(parent: { items: unknown[] }): Node {
  const first = parent.items[0] as { key?: unknown }
  return (isNode(first) ? first : first.key) as Node
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset)
}

function trimmedEnd(text: string, node: Node): number {
  return startOf(node) + text.slice(startOf(node), endOf(node)).trimEnd().length
}

function startOf(node: Node): number {
  return node.range![0]
}

function endOf(node: Node): number {
  return node.range![1]
}

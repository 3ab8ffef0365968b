import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import type { ConfigPath } from '../problem.ts'
import { emptyFile, type SourceDocument, type SourceError, type SourceRange } from './source-document.ts'

/** YAML 1.2, with merge keys (`<<`). */
export function parseYaml(text: string): SourceDocument {
  const document = parseDocument(text, { merge: true, prettyErrors: false })
  const errors: SourceError[] = document.errors.map((error) => ({
    code: error.code === 'DUPLICATE_KEY' ? 'duplicate-key' : 'syntax',
    message: error.message,
    fix: fixOf(error.code, error.message),
    range: { offset: error.pos[0], length: Math.max(1, error.pos[1] - error.pos[0]) },
  }))
  if (errors.length === 0) visit(document, { Alias: (_, alias) => void checkAlias(alias, document, errors) })
  if (errors.length === 0 && document.contents === null) errors.push(emptyFile())
  const value = errors.length === 0 ? toValue(document, errors) : undefined
  return { format: 'yaml', text, value, errors, locate: (path, part) => locate(document, path, part) }
}

const fixes: { readonly [code: string]: string | undefined } = {
  DUPLICATE_KEY: 'Remove one of the two, or rename it',
  TAB_AS_INDENT: 'Indent with spaces: YAML forbids tabs there',
  BAD_INDENT: 'Line the keys of one mapping up in the same column',
  MULTIPLE_DOCS: 'Keep one document in the file: remove the "---" in the middle',
}

function fixOf(code: string, message: string): string | undefined {
  // The parser has the same code for bad indentation and for a bracket that is never closed.
  const bracket = /end with a ([\]}])/.exec(message)?.[1]
  return bracket ? `Close it with ${bracket}` : fixes[code]
}

function checkAlias(alias: Alias, document: Document, errors: SourceError[]): void {
  if (alias.resolve(document)) return
  errors.push({
    code: 'syntax',
    message: `There is no anchor &${alias.source} before this`,
    fix: `Put &${alias.source} in front of the value that is meant; for text that starts with *, use quotes`,
    range: rangeOf(alias) ?? { offset: 0, length: 1 },
  })
}

/** Fails on documents whose aliases multiply beyond reason, which the parser itself lets through. */
function toValue(document: Document, errors: SourceError[]): unknown {
  try {
    return document.toJS({ maxAliasCount: 1000 })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    errors.push({ code: 'syntax', message, fix: undefined, range: { offset: 0, length: 1 } })
    return undefined
  }
}

function locate(document: Document, path: ConfigPath, part: 'key' | 'value'): SourceRange {
  let found = rangeOf(document.contents) ?? { offset: 0, length: 1 }
  let node: unknown = document.contents
  for (const [depth, step] of path.entries()) {
    const child = childAt(isAlias(node) ? node.resolve(document) : node, step)
    if (!child) return found
    const isLast = depth === path.length - 1
    const wanted = isLast && part === 'value' ? (child.value ?? child.key) : (child.key ?? child.value)
    found = rangeOf(wanted) ?? found
    node = child.value
  }
  return found
}

function childAt(node: unknown, step: string | number): { key: unknown; value: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)]
    return item === undefined ? undefined : { key: undefined, value: item }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step))
  return pair && isPair(pair) ? { key: pair.key, value: pair.value } : undefined
}

function rangeOf(node: unknown): SourceRange | undefined {
  const range = isNode(node) ? (node as Node).range : undefined
  return range ? { offset: range[0], length: Math.max(1, range[1] - range[0]) } : undefined
}

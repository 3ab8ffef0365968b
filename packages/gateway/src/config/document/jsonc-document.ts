import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { ConfigPath } from '../problem.ts'
import { emptyFile, type SourceDocument, type SourceError, type SourceRange } from './source-document.ts'

export function parseJsonc(text: string): SourceDocument {
  const parseErrors: ParseError[] = []
  const root = parseTree(text, parseErrors, { allowTrailingComma: true, disallowComments: false })
  const errors = text.trim() === '' ? [emptyFile()] : parseErrors.map((error) => explain(error, text))
  const value = root && errors.length === 0 ? toValue(root, errors) : undefined
  return {
    format: 'jsonc',
    text,
    value: errors.length === 0 ? value : undefined,
    errors,
    locate: (path, part) => locate(root, path, part),
  }
}

/** Our own walk and not `getNodeValue`, which loses the key `__proto__` and hides duplicates. */
function toValue(node: Node, errors: SourceError[]): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => toValue(child, errors))
  if (node.type !== 'object') return node.value
  const result: Record<string, unknown> = {}
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (!key || !value) continue
    if (Object.hasOwn(result, key.value)) errors.push(duplicate(key))
    Object.defineProperty(result, key.value, {
      value: toValue(value, errors),
      configurable: true,
      enumerable: true,
      writable: true,
    })
  }
  return result
}

function duplicate(key: Node): SourceError {
  return {
    code: 'duplicate-key',
    message: `${JSON.stringify(key.value)} is here twice`,
    fix: 'Remove one of the two, or rename it',
    range: { offset: key.offset, length: key.length },
  }
}

function locate(root: Node | undefined, path: ConfigPath, part: 'key' | 'value'): SourceRange {
  for (let depth = path.length; depth >= 0 && root; depth--) {
    const node = findNodeAtLocation(root, path.slice(0, depth))
    if (!node) continue
    // The nearest thing around a missing part is pointed at by its key: its value may be many lines.
    const wantsKey = part === 'key' || depth < path.length
    const key = wantsKey && node.parent?.type === 'property' ? node.parent.children?.[0] : undefined
    const { offset, length } = key ?? node
    return { offset, length }
  }
  return { offset: 0, length: 1 }
}

const MESSAGES: { readonly [code: string]: readonly [message: string, fix?: string] | undefined } = {
  InvalidSymbol: ['This is not JSON', 'Texts and keys are written in double quotes: "like this"'],
  PropertyNameExpected: ['A key in double quotes is expected here', 'Write "key": value'],
  ValueExpected: ['A value is missing here'],
  ColonExpected: ['A colon is missing here', 'Write "key": value'],
  CommaExpected: ['A comma is missing before this', 'Add a comma after the entry before it'],
  CloseBraceExpected: ['A closing } is missing', 'The file may be cut off, or a brace too many open'],
  CloseBracketExpected: ['A closing ] is missing', 'The file may be cut off'],
  EndOfFileExpected: ['There is more after the end of the configuration', 'Remove the rest'],
  UnexpectedEndOfString: ['A text is not closed', 'Add the closing double quote'],
  UnexpectedEndOfComment: ['A comment is not closed', 'Add */'],
  InvalidEscapeCharacter: ['This escape does not exist', 'Write a backslash as \\\\'],
}

function explain(error: ParseError, text: string): SourceError {
  const name = printParseErrorCode(error.error)
  const [message, fix] = MESSAGES[name] ?? [name]
  const offset = Math.min(error.offset, Math.max(0, text.length - 1))
  return { code: 'syntax', message, fix, range: { offset, length: Math.max(1, error.length) } }
}

import { displayArgs, displayUrl, hideKeys, isSecretSetting } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import { parseReferences } from '../compile/references.ts'
import { parseSource } from '../document/parse-source.ts'
import type { ConfigFormat, SourceDocument } from '../document/source-document.ts'

/** Objects and lists whose every value is secret. */
const SECRET_HOLDERS: ReadonlySet<string> = new Set(['env', 'headers', 'schemes', 'sealingKeys'])

/** Masks written secrets with dots, so that a configuration can be shown; lines and columns stay. */
export async function maskSecrets(text: string, format: ConfigFormat): Promise<string> {
  const letters = text.split('')
  for (const [start, end] of await findSecrets(text, format)) {
    for (let at = start; at < end; at++) if (!/\s/.test(letters[at]!)) letters[at] = '•'
  }
  return letters.join('')
}

/** Texts that stand for a secret where a configuration is shown; `••••3••••` is the third of a file. */
export const MASK: RegExp = /••••(\d+)••••|\[redacted\]/g

/**
 * The offsets of secrets that are written in a text, in order and without overlaps. `scrub` finds secrets by their form
 * or value, wherever they are: as an argument, in a comment.
 */
export async function findSecrets(
  text: string,
  format: ConfigFormat,
  scrub: (text: string) => string = hideKeys,
): Promise<[number, number][]> {
  const document = await parseSource(text, format)
  const told = document.errors.length > 0 ? findByEye(text) : [...secretRanges(document, document.value, [])]
  const found: [number, number][] = []
  let at = 0
  for (const [start, end] of [...told.sort((a, b) => a[0] - b[0]), [text.length, text.length] as const]) {
    if (start < at) continue
    found.push(...scrubbedRanges(text.slice(at, start), at, scrub))
    if (start < end) found.push([start, end])
    at = end
  }
  return found
}

/** The ranges that `scrub` changes on each line, from the first changed letter to the last. */
function* scrubbedRanges(
  part: string,
  offset: number,
  scrub: (text: string) => string,
): Generator<[number, number]> {
  // Marks that the file itself holds are masked too: any other mark in an edited text then came from hiding.
  const shown = scrub(part).replaceAll(MASK, '')
  const [before, after] = [part.split('\n'), shown.split('\n')]
  const pairs = before.length === after.length ? before.map((line, i) => [line, after[i]!]) : [[part, shown]]
  let at = offset
  for (const [line, scrubbed] of pairs as [string, string][]) {
    if (line !== scrubbed) {
      const start = sharedLetters(line, scrubbed)
      const rest = sharedLetters(reversed(line.slice(start)), reversed(scrubbed.slice(start)))
      yield [at + start, at + line.length - rest]
    }
    at += line.length + 1
  }
}

function sharedLetters(a: string, b: string): number {
  let length = 0
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length++
  return length
}

function reversed(text: string): string {
  return text.split('').reverse().join('')
}

function* secretRanges(
  document: SourceDocument,
  value: unknown,
  path: ConfigPath,
): Generator<[number, number]> {
  if (typeof value === 'string' || typeof value === 'number') {
    if (isSecret(value, path)) yield insideQuotes(document, path)
    else if (typeof value === 'string') yield* urlSecrets(document, value, path)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  const shown = path.at(-1) === 'args' && Array.isArray(value) ? displayArgs(value.map(String)) : undefined
  for (const [key, part] of entries) {
    const isHidden = shown !== undefined && shown[Number(key)] !== String(part)
    if (isHidden && !refersOnly(String(part))) yield insideQuotes(document, [...path, key])
    else yield* secretRanges(document, part, [...path, key])
  }
}

function isSecret(value: string | number, path: ConfigPath): boolean {
  // The names of keys.
  if (path.at(-3) === 'who' && path.at(-2) === 'apiKeys') return false
  const key = path.findLast((step) => typeof step === 'string') ?? ''
  const isHeld = path.slice(0, -1).some((step, index) => {
    const isTargetName = ['mcpServers', 'servers'].includes(String(path[index - 1]))
    return SECRET_HOLDERS.has(String(step)) && !isTargetName
  })
  return (isHeld || isSecretSetting(String(key))) && value !== '' && !refersOnly(String(value))
}

/** `${env:X}`, or with a scheme in front as in `Bearer ${env:X}`; a default may be a secret. */
function refersOnly(text: string): boolean {
  const pieces = parseReferences(text)
  const isReference = pieces.some((piece) => piece.type === 'env' || piece.type === 'file')
  return (
    isReference &&
    pieces.every((piece) => {
      if (piece.type === 'text') return /^(\w+[ =])?$|^--[\w-]+=$/.test(piece.text)
      return piece.type !== 'env' || piece.fallback === undefined
    })
  )
}

function* urlSecrets(document: SourceDocument, value: string, path: ConfigPath): Generator<[number, number]> {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || displayUrl(value) === value || refersOnly(value)) return
  const [start, end] = insideQuotes(document, path)
  const written = document.text.slice(start, end)
  const query = written.search(/[?#]/)
  if (query >= 0) yield [start + query + 1, end]
  const user = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(written)
  if (user) yield [start + user[0].length - 1 - user[1]!.length, start + user[0].length - 1]
}

function insideQuotes(document: SourceDocument, path: ConfigPath): [number, number] {
  const { offset, length } = document.locate(path, 'value')
  const isQuoted = /["']/.test(document.text[offset] ?? '')
  return isQuoted ? [offset + 1, offset + length - 1] : [offset, offset + length]
}

/** For text that cannot be parsed: whatever follows a key that looks like an environment variable or a secret. */
function findByEye(text: string): [number, number][] {
  const found: [number, number][] = []
  for (const match of text.matchAll(/(["']?)([\w-]+)\1(\s*[:=]\s*)(["']?)([^"'\n,}\]]+)/g)) {
    const [whole, , key, , , value] = match as unknown as [string, string, string, string, string, string]
    const isSecretKey = /^[A-Z][A-Z0-9_]+$/.test(key) || isSecretSetting(key)
    if (!isSecretKey || refersOnly(value.trim())) continue
    const end = match.index + whole.length
    found.push([end - value.length, end - value.length + value.trimEnd().length])
  }
  return found
}

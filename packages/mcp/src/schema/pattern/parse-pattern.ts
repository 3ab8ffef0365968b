import { DIGITS, LINE_ENDS, negate, rangesOf, SPACE, toCharSet, WORD, type CharSet } from './char-set.ts'

/** A regular expression as a tree. `property` members are sets that only the engine knows (`\p{…}`). */
export type PatternNode =
  | {
      readonly kind: 'set'
      readonly set: CharSet
      readonly properties: readonly RegExp[]
      readonly negated: boolean
    }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'assert'; readonly what: '^' | '$' | 'b' | 'B' }
  | { readonly kind: 'ahead'; readonly body: PatternNode; readonly negated: boolean }

export interface ParsedPattern {
  readonly node: PatternNode
  /** False when the tree matches more: back references match any group content, look-behind always holds. */
  readonly isExact: boolean
}

interface Reader {
  readonly chars: readonly string[]
  at: number
  isExact: boolean
  /** The contents of capturing groups, by number and by name; `undefined` while a group is open. */
  readonly groups: (PatternNode | undefined)[]
  readonly names: Map<string, number>
}

const EMPTY: PatternNode = { kind: 'sequence', parts: [] }

class UnknownSyntax extends Error {}

/** Parses an expression that is known to compile with the `u` flag; `undefined` when its syntax is unknown here. */
export function parsePattern(pattern: string): ParsedPattern | undefined {
  const reader: Reader = { chars: [...pattern], at: 0, isExact: true, groups: [EMPTY], names: new Map() }
  try {
    const node = parseChoice(reader)
    return { node, isExact: reader.isExact }
  } catch (thrown) {
    if (thrown instanceof UnknownSyntax || thrown instanceof RangeError) return undefined
    throw thrown
  }
}

function parseChoice(reader: Reader): PatternNode {
  const options = [parseSequence(reader)]
  while (take(reader, '|')) options.push(parseSequence(reader))
  return options.length === 1 ? options[0]! : { kind: 'choice', options }
}

function parseSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = []
  while (reader.at < reader.chars.length && peek(reader) !== '|' && peek(reader) !== ')') {
    parts.push(parseQuantifier(reader, parseAtom(reader)))
  }
  return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
}

function parseQuantifier(reader: Reader, body: PatternNode): PatternNode {
  let bounds: [number, number] | undefined
  if (take(reader, '*')) bounds = [0, Number.POSITIVE_INFINITY]
  else if (take(reader, '+')) bounds = [1, Number.POSITIVE_INFINITY]
  else if (take(reader, '?')) bounds = [0, 1]
  else if (take(reader, '{')) bounds = parseBounds(until(reader, '}'))
  if (bounds === undefined) return body
  take(reader, '?') // Lazy or greedy, the language is the same.
  return { kind: 'repeat', body, min: bounds[0], max: bounds[1] }
}

function parseBounds(text: string): [number, number] {
  const [min, max] = text.split(',')
  if (max === undefined) return [Number(min), Number(min)]
  return [Number(min), max === '' ? Number.POSITIVE_INFINITY : Number(max)]
}

function parseAtom(reader: Reader): PatternNode {
  const char = next(reader)
  if (char === '(') return parseGroup(reader)
  if (char === '[') return parseClass(reader)
  if (char === '.') return setOf(negate(LINE_ENDS))
  if (char === '^' || char === '$') return { kind: 'assert', what: char }
  if (char !== '\\') return setOf(single(char))
  const escaped = peek(reader)
  if (escaped === 'b' || escaped === 'B') {
    reader.at += 1
    return { kind: 'assert', what: escaped }
  }
  if (escaped === 'k' || (escaped >= '1' && escaped <= '9')) return parseBackReference(reader)
  const item = parseEscape(reader)
  return item instanceof RegExp ? { kind: 'set', set: [], properties: [item], negated: false } : setOf(item)
}

function parseBackReference(reader: Reader): PatternNode {
  reader.isExact = false
  if (take(reader, 'k')) {
    take(reader, '<')
    return reader.groups[reader.names.get(until(reader, '>')) ?? 0] ?? EMPTY
  }
  let digits = ''
  while (/^[0-9]$/.test(peek(reader))) digits += next(reader)
  return reader.groups[Number(digits)] ?? EMPTY
}

function parseGroup(reader: Reader): PatternNode {
  const mark = take(reader, '?') ? next(reader) : ''
  if (mark === '=' || mark === '!') return { kind: 'ahead', body: parseBody(reader), negated: mark === '!' }
  if (mark === ':') return parseBody(reader)
  if (mark === '<' && (peek(reader) === '=' || peek(reader) === '!')) {
    reader.at += 1
    reader.isExact = false
    parseBody(reader)
    return EMPTY
  }
  if (mark !== '' && mark !== '<') throw new UnknownSyntax('inline flags')
  const number = reader.groups.push(undefined) - 1
  if (mark === '<') reader.names.set(until(reader, '>'), number)
  const body = parseBody(reader)
  reader.groups[number] = body
  return body
}

function parseBody(reader: Reader): PatternNode {
  const body = parseChoice(reader)
  take(reader, ')')
  return body
}

function parseClass(reader: Reader): PatternNode {
  const negated = take(reader, '^')
  const ranges: [number, number][] = []
  const properties: RegExp[] = []
  while (!take(reader, ']')) {
    const item = parseClassItem(reader)
    if (item instanceof RegExp) properties.push(item)
    else if (item.length === 2 && item[0] === item[1] && peek(reader) === '-' && peek(reader, 1) !== ']') {
      reader.at += 1
      const last = parseClassItem(reader)
      ranges.push([item[0]!, last instanceof RegExp ? item[0]! : last[1]!])
    } else ranges.push(...rangesOf(item))
  }
  return { kind: 'set', set: toCharSet(ranges), properties, negated }
}

function parseClassItem(reader: Reader): CharSet | RegExp {
  const char = next(reader)
  if (char !== '\\') return single(char)
  if (take(reader, 'b')) return [8, 8]
  return parseEscape(reader)
}

const CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12, '0': 0 }
const SETS: Record<string, CharSet> = { d: DIGITS, w: WORD, s: SPACE }

/** Reads what follows a backslash, where it stands for characters. */
function parseEscape(reader: Reader): CharSet | RegExp {
  const char = next(reader)
  const set = SETS[char.toLowerCase()]
  if (set !== undefined) return char in SETS ? set : negate(set)
  if (char === 'p' || char === 'P') return new RegExp(`^\\${char}${next(reader)}${until(reader, '}')}}$`, 'u')
  const control = CONTROLS[char]
  if (control !== undefined) return [control, control]
  if (char === 'c') return point(next(reader).toUpperCase().charCodeAt(0) - 64)
  if (char === 'x') return point(Number.parseInt(next(reader) + next(reader), 16))
  if (char === 'u') return point(parseUnicode(reader))
  return single(char)
}

function parseUnicode(reader: Reader): number {
  if (take(reader, '{')) return Number.parseInt(until(reader, '}'), 16)
  const unit = Number.parseInt(takeMany(reader, 4), 16)
  const isLead = unit >= 0xd800 && unit <= 0xdbff
  if (!isLead || peek(reader) !== '\\' || peek(reader, 1) !== 'u') return unit
  const trail = Number.parseInt(reader.chars.slice(reader.at + 2, reader.at + 6).join(''), 16)
  if (!(trail >= 0xdc00 && trail <= 0xdfff)) return unit
  reader.at += 6
  return (unit - 0xd800) * 0x400 + (trail - 0xdc00) + 0x10000
}

function setOf(set: CharSet): PatternNode {
  return { kind: 'set', set, properties: [], negated: false }
}

function single(char: string): CharSet {
  return point(char.codePointAt(0) ?? 0)
}

function point(codePoint: number): CharSet {
  return [codePoint, codePoint]
}

function peek(reader: Reader, offset = 0): string {
  return reader.chars[reader.at + offset] ?? ''
}

function next(reader: Reader): string {
  const char = reader.chars[reader.at]
  // The expression compiles, so this end is reached only by syntax newer than this parser.
  if (char === undefined) throw new UnknownSyntax('unknown syntax')
  reader.at += 1
  return char
}

function take(reader: Reader, char: string): boolean {
  if (reader.chars[reader.at] !== char) return false
  reader.at += 1
  return true
}

function takeMany(reader: Reader, count: number): string {
  let text = ''
  for (let i = 0; i < count; i++) text += next(reader)
  return text
}

function until(reader: Reader, end: string): string {
  let text = ''
  for (let char = next(reader); char !== end; char = next(reader)) text += char
  return text
}

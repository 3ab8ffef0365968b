import { compilePattern } from './compile-pattern.ts'
import { parsePattern, type ParsedPattern, type PatternNode } from './parse-pattern.ts'

/** The expression in the syntax of the `u` flag, without needless escapes; undefined if it cannot be written so. */
export function toUnicodePattern(source: string): string | undefined {
  if (compiles(source)) return source
  const stripped = withoutNeedlessEscapes(source)
  return compiles(stripped) ? stripped : undefined
}

function withoutNeedlessEscapes(source: string): string {
  let inClass = false
  return source.replace(/\\([\s\S])|[[\]]/g, (token, escaped: string | undefined) => {
    if (token === '[') inClass = true
    else if (token === ']') inClass = false
    // In a class an escaped hyphen is no range; outside, a hyphen is a hyphen.
    else if (escaped === '-' ? !inClass : /[!"#%&',:;<=>@`~_ ]/.test(escaped ?? '')) return escaped!
    return token
  })
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'u')
    return true
  } catch {
    return false
  }
}

export type PatternKind =
  /** By the platform's own, backtracking engine. */
  | 'plain'
  /** By the same on short texts, because its time may grow with the square of the length; else by an automaton. */
  | 'quadratic'
  /** By an automaton. */
  | 'exact'
  /** By an automaton that lets more through: the expression has back references or look-behind. */
  | 'partial'

/** `undefined` when there is no way: unknown syntax, or repetition counts beyond all measure. */
export function checkPattern(pattern: string): PatternKind | undefined {
  const parsed = parsePattern(pattern)
  if (parsed === undefined) return undefined
  const simple = simpleKind(parsed)
  if (simple !== undefined) return simple
  if (compilePattern(parsed.node) === undefined) return undefined
  return parsed.isExact ? 'exact' : 'partial'
}

/** Ways to backtrack at one position, beyond which the automaton is used. */
const MAX_WAYS = 100

function simpleKind({ node, isExact }: ParsedPattern): 'plain' | 'quadratic' | undefined {
  if (!isExact) return undefined
  const loops: PatternNode[] = []
  if (waysThrough(node, loops) > MAX_WAYS || loops.length > 1) return undefined
  // A loop over single characters is linear from a fixed start, and quadratic when every position is a start.
  return loops.length === 0 || isAnchored(node) ? 'plain' : 'quadratic'
}

function waysThrough(node: PatternNode, loops: PatternNode[]): number {
  switch (node.kind) {
    case 'set':
    case 'assert':
      return 1
    case 'sequence':
      return node.parts.reduce((ways, part) => ways * waysThrough(part, loops), 1)
    case 'choice':
      return node.options.reduce((ways, option) => ways + waysThrough(option, loops), 0)
    case 'ahead':
      return Number.POSITIVE_INFINITY
    case 'repeat':
      return waysToRepeat(node, loops)
  }
}

function waysToRepeat(node: PatternNode & { kind: 'repeat' }, loops: PatternNode[]): number {
  const { body, min, max } = node
  const isSet = body.kind === 'set'
  if (max === Number.POSITIVE_INFINITY) {
    loops.push(node)
    return isSet ? 1 : Number.POSITIVE_INFINITY
  }
  if (isSet) return max - min + 1
  const ways = waysThrough(body, loops)
  // Copies of a body that has one way through it and no loop inside add one way per length. Copies of other bodies
  // multiply the ways.
  return loops.length > 0 ? Number.POSITIVE_INFINITY : (max - min + 1) * ways ** max
}

function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'assert') return node.what === '^'
  if (node.kind === 'choice') return node.options.every(isAnchored)
  return node.kind === 'sequence' && node.parts[0] !== undefined && isAnchored(node.parts[0])
}

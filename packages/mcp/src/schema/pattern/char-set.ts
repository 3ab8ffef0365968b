/** A set of code points as ascending, separate ranges: `[first, last, first, last, …]`. */
export type CharSet = readonly number[]

export const DIGITS: CharSet = [0x30, 0x39]
export const WORD: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
/** ECMAScript WhiteSpace and LineTerminator. */
export const SPACE: CharSet = [
  9, 13, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f,
  0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
]
/** Characters that `.` does not match. */
export const LINE_ENDS: CharSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029]

export function toCharSet(ranges: readonly (readonly [number, number])[]): CharSet {
  const out: number[] = []
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const end = out.length - 1
    if (end > 0 && first <= out[end]! + 1) out[end] = Math.max(out[end]!, last)
    else out.push(first, last)
  }
  return out
}

export function rangesOf(set: CharSet): [number, number][] {
  const ranges: [number, number][] = []
  for (let i = 0; i < set.length; i += 2) ranges.push([set[i]!, set[i + 1]!])
  return ranges
}

export function negate(set: CharSet): CharSet {
  const out: number[] = []
  let next = 0
  for (const [first, last] of rangesOf(set)) {
    if (first > next) out.push(next, first - 1)
    next = last + 1
  }
  if (next <= 0x10ffff) out.push(next, 0x10ffff)
  return out
}

export function hasCodePoint(set: CharSet, codePoint: number): boolean {
  for (let i = 0; i < set.length; i += 2) {
    if (codePoint < set[i]!) return false
    if (codePoint <= set[i + 1]!) return true
  }
  return false
}

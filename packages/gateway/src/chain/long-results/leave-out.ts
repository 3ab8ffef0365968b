/** One part of a result. */
export interface Part {
  readonly item: unknown
  readonly tokens: number
}

/**
 * The parts that are shown: the first and the last that have room together, and all parts without a size. A number
 * replaces the parts that were left out.
 */
export function leaveOut(parts: readonly Part[], room: number, head: number): (Part | number)[] {
  const first = countWithin(parts, room * head)
  const used = parts.slice(0, first).reduce((sum, { tokens }) => sum + tokens, 0)
  const last = countWithin(parts.slice(first).toReversed(), room - used)
  const shown: (Part | number)[] = parts.slice(0, first)
  let left = 0
  for (const part of parts.slice(first, parts.length - last)) {
    if (part.tokens === 0) shown.push(part)
    else left++
  }
  return [...shown, ...(left > 0 ? [left] : []), ...parts.slice(parts.length - last)]
}

function countWithin(parts: readonly Part[], room: number): number {
  let left = room
  const end = parts.findIndex(({ tokens }) => {
    left -= tokens
    return left < 0
  })
  return end === -1 ? parts.length : end
}

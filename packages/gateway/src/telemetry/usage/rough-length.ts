/** Values that are looked at in one text; of longer ones the rest is not counted. */
const MOST_VALUES = 2_000

/** About how long a value is as JSON. It costs little, also for a value that somebody made long on purpose. */
export function roughLength(value: unknown): number {
  const waiting: unknown[] = [value]
  let length = 0
  for (let seen = 0; waiting.length > 0 && seen < MOST_VALUES; seen++) {
    const one = waiting.pop()
    if (typeof one === 'string') length += one.length + 2
    else if (Array.isArray(one)) {
      length += 1 + one.length
      for (let at = 0; at < one.length && at < MOST_VALUES; at++) waiting.push(one[at])
    } else if (typeof one === 'object' && one !== null) {
      length += 2
      let members = 0
      for (const name in one) {
        if (++members > MOST_VALUES) break
        length += name.length + 4
        waiting.push((one as Record<string, unknown>)[name])
      }
    } else if (one !== undefined) length += String(one).length
  }
  return length
}

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const SIZE_UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

/** Timers count in 32 bits: a longer timer would fire at once. */
const LONGEST = 2 ** 31 - 1

/** Milliseconds: a number, or text such as `500ms`, `30s`, `1.5h`, `2d`; at most what a timer can wait. */
export function readDuration(value: number | string): number | undefined {
  const milliseconds = readSpan(value)
  return milliseconds === undefined ? undefined : Math.min(milliseconds, LONGEST)
}

/** The same for times that no timer waits for: they may be as long as they like. */
export function readSpan(value: number | string): number | undefined {
  return parseQuantity(value, DURATION_UNITS)
}

/** Bytes: a number as it is, or text such as `512kb`, `4MB`, `1gb`. */
export function readByteSize(value: number | string): number | undefined {
  return parseQuantity(value, SIZE_UNITS)
}

function parseQuantity(value: number | string, units: Readonly<Record<string, number>>): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(value)
  if (!match) return undefined
  const unit = match[2]!.toLowerCase()
  const factor = unit === '' ? 1 : Object.hasOwn(units, unit) ? units[unit] : undefined
  return factor === undefined ? undefined : Math.round(Number(match[1]) * factor)
}

import { McpError } from '../jsonrpc/index.ts'

type Unit = 'ms' | 's' | 'm' | 'h' | 'd'

/** Milliseconds, or a number with its unit: `'30s'`. */
export type Duration = number | `${number}${Unit}`

const MILLISECONDS: Readonly<Record<Unit, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Timers count in 32 bits: a longer time fires at once, so it is cut to the longest that they can hold. */
export const LONGEST_TIMER: number = 2 ** 31 - 1

/**
 * Reads a duration as milliseconds.
 *
 * @example
 * parseDuration('1.5s') // 1500
 * parseDuration(250)    // 250
 */
export function parseDuration(value: Duration): number {
  const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value) : undefined
  const milliseconds = match ? Number(match[1]) * MILLISECONDS[match[2] as Unit] : value
  if (typeof milliseconds === 'number' && milliseconds >= 0) return milliseconds
  throw new McpError(
    'invalid_config',
    `Not a duration: ${JSON.stringify(value)}; write 500, '500ms', '30s', '5m'`,
  )
}

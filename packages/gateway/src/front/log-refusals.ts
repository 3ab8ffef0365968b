import { limitedLog } from '../telemetry/limited-log.ts'
import type { Log } from '../telemetry/log.ts'

/** A request that presented a credential and was not let in. */
export interface Refused {
  readonly status: number
  readonly reason: string
  readonly path: string
}

export type OnRefused = (refused: Refused) => void

/** Somebody who tries keys writes five lines a minute, and the number of the others. */
const LIMIT = { lines: 5, period: 60_000 }

export function logRefusals(log: Log): OnRefused {
  const limited = limitedLog(log, LIMIT)
  return ({ status, reason, path }) => limited('warn', 'A caller was refused', { status, reason, path })
}

/** A URL without its query, where people put keys. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}

import { McpError } from '@gantry/mcp/client'
import type { RestartModel } from '../model/index.ts'

/** Doubles with every failure up to the maximum; the jitter keeps a fleet from coming back all at once. */
export function backoffDelay(
  restart: RestartModel,
  failures: number,
  random: number = Math.random(),
): number {
  const exponential = restart.minDelay * 2 ** Math.max(0, failures - 1)
  const capped = Math.min(restart.maxDelay, exponential)
  return Math.round(capped * (0.5 + random / 2))
}

/** How long a server asks to be left alone (RFC 9110, section 10.2.3), in milliseconds; 0 when it does not. */
export function retryAfterOf(thrown: unknown, now: number = Date.now()): number {
  const asked = thrown instanceof McpError ? thrown.details.retryAfter : undefined
  if (typeof asked !== 'string') return 0
  const milliseconds = /^\s*\d+\s*$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0
}

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

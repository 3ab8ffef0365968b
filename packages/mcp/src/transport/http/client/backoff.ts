import type { ReconnectOptions } from './options.ts'

/** Between two connections there is always a little time, whatever a server's `retry:` says. */
const MIN_DELAY = 50
/** Timers overflow beyond this and would fire at once. */
const MAX_TIMER = 2 ** 31 - 1

/**
 * Milliseconds before the next attempt. Never less than the server's `retry:` (2025-11-25: the client MUST
 * respect it); spread out, so that the clients of a server that restarts do not all return in one instant.
 */
export function reconnectDelay(
  attempt: number,
  retry: number | undefined,
  { initialDelay, maxDelay }: Required<ReconnectOptions>,
): number {
  const asked = retry === undefined ? 0 : retry * (1 + Math.random() / 10)
  if (retry !== undefined && attempt === 0) return clamp(asked)
  const backoff = Math.min(maxDelay, initialDelay * 2 ** attempt) * (0.5 + Math.random() / 2)
  return clamp(Math.max(asked, backoff))
}

function clamp(delay: number): number {
  return Math.min(Math.max(delay, MIN_DELAY), MAX_TIMER)
}

/** Resolves after a time, or at once when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener('abort', end, { once: true })
  })
}

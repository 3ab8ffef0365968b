import type { LoggingLevel } from './types.ts'

/** Least severe first (RFC 5424, turned round). */
export const LOG_LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value)
}

/** Whether a message at `level` passes a client that asked for `threshold` and above. */
export function passesLevel(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold)
}

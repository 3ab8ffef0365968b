import type { Log, LogLevel } from './log.ts'

export interface LogLimit {
  readonly lines: number
  /** In milliseconds. */
  readonly period: number
}

/** Writes the first lines of a period and counts the others: a flood of failures is no flood of lines. */
export function limitedLog(log: Log, { lines, period }: LogLimit): Log {
  let beganAt = 0
  let written = 0
  let leftOut = 0
  const tellLater = (level: LogLevel): void => {
    const timer = setTimeout(() => {
      log(level, `${leftOut} more lines like the last ones were left out`, { leftOut })
      leftOut = 0
    }, period)
    timer.unref()
  }
  return (level, message, facts) => {
    const now = Date.now()
    if (now - beganAt >= period) {
      beganAt = now
      written = 0
    }
    if (written++ < lines) return log(level, message, facts)
    if (leftOut++ === 0) tellLater(level)
  }
}

import { cutText } from '@gantry/mcp/foreign'
import { escapeControls } from '../model/index.ts'
import type { LogEntry, LogRing } from './log-ring.ts'
import type { LogEvent } from './log-events.ts'
import { redacting, withTexts } from './redacting.ts'

export type { LogEvent } from './log-events.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Facts that are undefined are left out. Every warning and every error names its event. */
export interface LogFacts {
  readonly event?: LogEvent
  readonly [name: string]: unknown
}

/** Writes one line about what happened. */
export type Log = (level: LogLevel, message: string, facts?: LogFacts) => void

const ORDER: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent']
/** A server decides how long its error messages are; a line of the log has an end all the same. */
const MAX_LENGTH = 4000

/** May change while the log is in use. */
export interface Verbosity {
  debug: boolean
}

export interface LogOptions {
  level: LogLevel | 'silent'
  format: 'text' | 'json'
  scrub: (text: string) => string
  write?: (line: string) => void
  /** Keeps the last lines, whatever is printed. */
  ring?: LogRing
  /** While `debug` is true, everything is printed. */
  verbosity?: Verbosity
}

/** Logs to stderr, one line per entry, without credentials: stdout belongs to results and messages. */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`))
  const threshold = ORDER.indexOf(options.level)
  const clean = (text: string): string => options.scrub(cutText(text, MAX_LENGTH))
  const toJson = (value: unknown): string =>
    JSON.stringify(value, (key, part) => redacting(key, withTexts(part, clean)))
  const inWords = (facts: Readonly<Record<string, unknown>>): string => {
    const known = Object.entries(facts).filter(([, value]) => value !== undefined)
    return escapeControls(known.map(([key, value]) => ` ${key}=${toJson(value)}`).join(''))
  }
  const keep = (
    level: LogEntry['level'],
    message: string,
    facts: Readonly<Record<string, unknown>>,
  ): void => {
    const { target, ...rest } = facts
    options.ring?.add({
      level,
      message: escapeControls(clean(message)),
      target: typeof target === 'string' ? target : undefined,
      detail: inWords(rest).trim(),
    })
  }
  return (level, message, facts = {}) => {
    if (level !== 'debug') keep(level, message, facts)
    if (ORDER.indexOf(level) < threshold && options.verbosity?.debug !== true) return
    const time = new Date().toISOString()
    const base = { time, level, message }
    // No fact takes the place of one of these.
    if (options.format === 'json') return write(escapeControls(toJson({ ...base, ...facts, ...base })))
    write(`${escapeControls(`${time.slice(11, 23)} ${level.padEnd(5)} ${clean(message)}`)}${inWords(facts)}`)
  }
}

export interface LogLimit {
  readonly lines: number
  /** In milliseconds. */
  readonly period: number
}

/** Writes the first lines of a period and counts the others: a flood of failures is no flood of lines. */
export function limitedLog(log: Log, { lines, period }: LogLimit): Log {
  let beganAt = Number.NEGATIVE_INFINITY
  let written = 0
  let leftOut = 0
  const tellLater = (level: LogLevel): void => {
    const timer = setTimeout(() => {
      log(level, `${leftOut} more lines like the last ones were left out`, {
        leftOut,
        event: 'lines-left-out',
      })
      leftOut = 0
    }, period)
    timer.unref()
  }
  return (level, message, facts) => {
    // Not the time of day: when that clock is set back, no line would be written for a long time.
    const now = performance.now()
    if (now - beganAt >= period) {
      beganAt = now
      written = 0
    }
    if (written++ < lines) return log(level, message, facts)
    if (leftOut++ === 0) tellLater(level)
  }
}

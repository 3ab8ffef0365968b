import type { Middleware } from '../exchange/exchange.ts'
import { timing } from './timing.ts'
import { type FormsOf, requireKnownOptions } from '../protocol/known-options.ts'

export interface LoggingOptions {
  /** Default: standard error, through `console.error`. Standard output belongs to the protocol on stdio. */
  write?: (line: string) => void
}

const OPTIONS: FormsOf<LoggingOptions> = { write: 1 }

/**
 * Writes a line for each request: what it was, how it ended, how long it took. Arguments and results are never in it.
 *
 * ```ts
 * app.use(logging()) // tools/call add ok 3 ms
 * ```
 */
export function logging(options: LoggingOptions = {}): Middleware {
  requireKnownOptions('log', OPTIONS, options)
  const { write = (line: string) => console.error(line) } = options
  return timing(({ method, name, outcome, milliseconds }) => {
    const about = name === undefined ? '' : ` ${plain(name)}`
    write(`${plain(method)}${about} ${outcome} ${Math.round(milliseconds)} ms`)
  })
}

/** Names come from clients: they stay short, on one line, and cannot steer a terminal. */
function plain(name: string): string {
  return /^[\w./:-]{1,200}$/.test(name) ? name : JSON.stringify(name.slice(0, 200)).replaceAll(/[^ -~]/g, '?')
}

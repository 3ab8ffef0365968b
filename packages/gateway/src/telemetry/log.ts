export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Writes one line about what happened. Secrets never get here: configuration wraps them. */
export type Log = (level: LogLevel, message: string, facts?: Record<string, unknown>) => void

const ORDER: readonly string[] = ['debug', 'info', 'warn', 'error', 'silent']

export interface LogOptions {
  level: LogLevel | 'silent'
  format: 'text' | 'json'
  write?: (line: string) => void
}

/** Logs go to stderr: stdout belongs to results and, with `--stdio`, to messages. */
export function createLog(options: LogOptions): Log {
  const write = options.write ?? ((line: string) => void process.stderr.write(`${line}\n`))
  const threshold = ORDER.indexOf(options.level)
  return (level, message, facts = {}) => {
    if (ORDER.indexOf(level) < threshold) return
    const time = new Date().toISOString()
    if (options.format === 'json') return write(JSON.stringify({ time, level, message, ...facts }))
    const extra = Object.entries(facts).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
    write(`${time.slice(11, 23)} ${level.padEnd(5)} ${message}${extra.join('')}`)
  }
}

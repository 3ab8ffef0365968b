import type { LoggingLevel } from '../protocol/index.ts'
import type { Exchange, Notification } from './exchange.ts'

const SEVERITY: Readonly<Record<LoggingLevel, number>> = {
  debug: 0,
  info: 1,
  notice: 2,
  warning: 3,
  error: 4,
  critical: 5,
  alert: 6,
  emergency: 7,
}

export function isLog(notification: Notification): boolean {
  return notification.method === 'notifications/message'
}

/** Whether a request asked for a log message of this level. Levels that we do not know are let through. */
export function wantsLog(exchange: Exchange, notification: Notification): boolean {
  if (exchange.logLevel === undefined) return false
  const severity = SEVERITY[notification.params?.level as LoggingLevel] ?? Number.POSITIVE_INFINITY
  return severity >= SEVERITY[exchange.logLevel]
}

/** The level that lets through what each of these requests wants; undefined when none wants logs. */
export function mostVerbose(levels: Iterable<LoggingLevel | undefined>): LoggingLevel | undefined {
  let found: LoggingLevel | undefined
  for (const level of levels) {
    if (level === undefined) continue
    if (found === undefined || SEVERITY[level] < SEVERITY[found]) found = level
  }
  return found
}

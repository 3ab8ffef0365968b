import { isLoggingLevel, LOG_LEVELS, type LoggingLevel, passesLevel } from '../../protocol/index.ts'
import type { Exchange, Notification } from '../exchange.ts'

export function isLog(notification: Notification): boolean {
  return notification.method === 'notifications/message'
}

/** Whether a request asked for a log message of this level. Levels that we do not know are let through. */
export function wantsLog({ logLevel }: Exchange, notification: Notification): boolean {
  const level = notification.params?.level
  return passesLevel(isLoggingLevel(level) ? level : 'emergency', logLevel)
}

/** The level that lets through what each of these requests wants; undefined when none wants logs. */
export function mostVerbose(levels: Iterable<LoggingLevel | undefined>): LoggingLevel | undefined {
  const wanted = new Set(levels)
  return LOG_LEVELS.find((level) => wanted.has(level))
}

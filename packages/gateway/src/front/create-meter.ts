import { HttpMeter } from '@gantry/mcp/server'
import { sharedLimit, type LimitsModel } from '../model/index.ts'
import { limitedLog, type Log } from '../telemetry/log.ts'

/** Counts the bytes and sessions that callers hold. One meter serves all endpoints, so they count together. */
export function createMeter(limits: LimitsModel, log: Log): HttpMeter {
  const limited = limitedLog(log, { lines: 5, period: 60_000 })
  // A single body of the greatest length must fit into the share of one caller.
  const receiving = Math.max(limits.receivingBytes, limits.bodyBytes / limits.callerShare)
  return new HttpMeter({
    maxBodyBytes: limits.bodyBytes,
    bodyTimeout: limits.bodyTimeout,
    receiving: sharedLimit(receiving, limits),
    stallTimeout: limits.stallTimeout,
    unread: sharedLimit(limits.unreadBytes, limits),
    onCutOff: ({ message, details }) => limited('warn', message, details),
    events: sharedLimit(limits.eventBytes, limits),
    sessions: sharedLimit(limits.sessions, limits),
  })
}

import type { LogEntry } from '../../telemetry/log-ring.ts'
import type { AdminHost } from '../admin-host.ts'
import type { LogLine } from '../contract.ts'
import type { Handlers } from '../handlers.ts'

export function logHandlers({ log }: AdminHost): Pick<Handlers, 'log'> {
  return { log: ({ query }) => ({ lines: log.list(query?.target, query?.limit).map(presentLine) }) }
}

export function presentLine({ target, detail, ...entry }: LogEntry): LogLine {
  return { ...entry, ...(target !== undefined && { target }), ...(detail !== '' && { detail }) }
}

import type { TraceAttributes } from '@gantry/mcp/tracing'
import type { OperationDurations } from '../operation-durations.ts'
import type { TracedSession } from '../tracer.ts'
import { addressText, isWire, networkOf, serverAddress } from './server-address.ts'

/** Counts a session that is over. What runs in this process, or is no MCP, has none. */
export function measureSession(durations: OperationDurations, session: TracedSession): void {
  const { version, transport, lasted, target } = session
  if (!isWire(transport)) return
  const attributes = (): TraceAttributes => ({
    'mcp.protocol.version': version,
    ...networkOf(transport),
    ...(target && serverAddress(target)),
  })
  const key = `${version}\n${transport}\n${target ? addressText(target) : ''}`
  durations.record(`mcp.${target ? 'client' : 'server'}.session.duration`, lasted / 1000, key, attributes)
}

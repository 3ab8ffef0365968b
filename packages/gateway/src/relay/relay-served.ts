import type { Handle, Served } from '@gantry/mcp/exchange'
import { headerParameters, type Implementation } from '@gantry/mcp/server'
import type { Relay } from './relay.ts'

/** The relay as server edges want it. */
export class RelayServed implements Served {
  readonly info: Implementation
  readonly relay: Relay
  readonly onInternalError: (error: unknown) => void

  constructor(info: Implementation, relay: Relay, onInternalError: (error: unknown) => void) {
    this.info = info
    this.relay = relay
    this.onInternalError = onInternalError
  }

  get respond(): Handle {
    return this.relay.respond
  }

  /** Arguments that clients mirror into headers: the gateway checks them like the target would. */
  headerParametersOf(tool: string): readonly { path: readonly string[]; header: string; type: string }[] {
    const schema = this.relay.entryOf(tool)?.item.inputSchema
    if (typeof schema !== 'object' || schema === null) return []
    const found = headerParameters(schema as Record<string, unknown>)
    return found.ok ? found.parameters : []
  }
}

import type { Handle, Served } from '@gantry/mcp/exchange'
import type { HeaderParameter, Implementation } from '@gantry/mcp/server'
import { headerParametersOf } from './mirrored-arguments.ts'
import type { Relay } from './relay.ts'

/** The relay as server edges want it. */
export class RelayServed implements Served {
  readonly info: Implementation
  /** What passes through stays as it was written. */
  readonly numbers = 'source'
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
  headerParametersOf(tool: string): readonly HeaderParameter[] {
    const entry = this.relay.entryOf(tool)
    return entry ? headerParametersOf(entry.item) : []
  }
}

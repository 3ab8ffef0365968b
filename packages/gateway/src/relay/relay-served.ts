import type { Handle, Served } from '@gantry/mcp/exchange'
import type { HeaderParameter, Implementation } from '@gantry/mcp/server'
import type { Caller } from '../policy/permissions-of.ts'
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
  headerParametersOf(tool: string, caller: Caller): readonly HeaderParameter[] {
    const entry = this.relay.entryOf(tool, caller)
    return entry ? headerParametersOf(entry.item) : []
  }
}

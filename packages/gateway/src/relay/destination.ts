import type { Exchange, JsonObject, Notification } from '@gantry/mcp/exchange'
import type { ServerCapabilities } from '@gantry/mcp/server'
import type { MergedEntry } from '../catalog/merged.ts'
import type { SendOptions } from '../targets/calls.ts'
import type { Target } from '../targets/target.ts'

/** The target that a request goes to, and what is known about it. */
export interface Destination extends SendOptions {
  readonly target: Target
  /** The capabilities of the target; undefined when it has not answered yet. */
  readonly capabilities: ServerCapabilities | undefined
  /** Whether calls of an older server's tool can, or must, be tasks. */
  readonly taskSupport?: MergedEntry['taskSupport']
}

/** An exchange on its way to a target, which knows where it goes. */
export interface RelayedExchange extends Exchange {
  /** In the target's own names. */
  params: JsonObject
  readonly resolved: Destination | undefined
  /** Identifies the server that was asked, because the configuration may put another server in its place. */
  server: string | undefined
  asTask: Exchange['asTask']
  hear(hears: (notification: Notification, exchange: RelayedExchange) => Notification | undefined): void
}

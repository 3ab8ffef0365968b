import type { FetchLike } from '@gantry/mcp/client'
import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'

/** The HTTP status with which a gateway answers a request that was meant for another gateway. */
export const MISDIRECTED = 421

/**
 * Names of members in what a gateway tells other gateways about a target: how it speaks to the server, and why the
 * target cannot be used.
 */
export const SPOKEN = 'dev.gantry/spoken'
export const FAILED = 'dev.gantry/failed'
/** Asks the gateway that has a program for the mark of its process. */
export const PROCESS_MARK = 'gantry/processMark'

/** How the gateway is reached that has the connections of a target. */
export interface Elsewhere {
  readonly id: string
  readonly url: string
  /** Makes the requests. Undefined: they are made like those to any other server. */
  readonly fetch?: FetchLike | undefined
  /** Calls `end` when that gateway is gone and nothing more comes of it. The function returned takes that back. */
  untilGone(end: () => void): () => void
  /** The headers that name the caller of a request to another gateway; without an exchange, the gateway itself. */
  headersFor(exchange: Exchange | undefined, options: HopOptions): Record<string, string>
}

export interface HopOptions {
  /** Insists on the older era of a server that has both. */
  readonly older: boolean
}

/**
 * Finds the gateway that has something which can only be in one place: a program, a call that waits for its caller, a
 * task.
 */
export interface TargetOwners {
  /** The id of this gateway for the others. */
  readonly id: string
  /** Whether this gateway stood still for so long that another gateway may have taken what it had. */
  readonly isLate: boolean
  /** Undefined: this gateway has the connections of the target, from now on if not before. */
  find(model: TargetModel): Promise<Elsewhere | undefined>
  /**
   * How to reach the gateway with this id, for something of a target or an endpoint. Undefined: that gateway is gone,
   * or it is this gateway.
   */
  at(id: string, place: HopPlace): Promise<Elsewhere | undefined>
}

/** A place at another gateway: a target there, or the tasks that it runs for an endpoint. */
export type HopPlace = { readonly target: string } | { readonly tasksOf: string }

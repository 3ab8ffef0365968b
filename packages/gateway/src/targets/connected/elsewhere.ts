import type { FetchLike } from '@gantry/mcp/client'
import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'

/** The HTTP status with which a gateway answers a request that was meant for another one. */
export const MISDIRECTED = 421

/** How the gateway is reached that has the connections of a target. */
export interface Elsewhere {
  readonly url: string
  /** Makes the requests. Undefined: they are made like those to any other server. */
  readonly fetch?: FetchLike | undefined
  /** Calls `end` when that gateway is gone and nothing more comes of it. The function returned takes that back. */
  untilGone(end: () => void): () => void
  /** What tells that gateway whose request it is; without an exchange, that it is the gateway's own. */
  headersFor(exchange: Exchange | undefined, options: HopOptions): Record<string, string>
}

export interface HopOptions {
  /** Insists on the older era of a server that has both. */
  readonly older: boolean
}

/** Finds the gateway that has what can only be in one place: a program, a call that waits for its caller, a task. */
export interface TargetOwners {
  /** What the others call this gateway. */
  readonly id: string
  /** Whether it stood still for so long that another one may have what it had. */
  readonly isLate: boolean
  /** Undefined: this gateway has them, from now on if not before. */
  find(model: TargetModel): Promise<Elsewhere | undefined>
  /** How a gateway is reached that has something of a target or an endpoint. Undefined: it is gone, or this one. */
  at(id: string, place: HopPlace): Promise<Elsewhere | undefined>
}

/** What is asked for at another gateway: a target there, or the tasks that it runs for an endpoint. */
export type HopPlace = { readonly target: string } | { readonly tasksOf: string }

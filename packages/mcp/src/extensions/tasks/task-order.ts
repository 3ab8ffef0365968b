import type { Exchange, Outcome } from '../../exchange/index.ts'
import { isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'
import type { Duration } from '../../protocol/index.ts'
import type { SavedTask } from './task-run.ts'

/** The order to start a call as a task, or to follow a saved task. */
export type TaskOrder = { owner: unknown } & (
  | { kind: 'start'; ttl: Duration | undefined; take(outcome: Outcome): void }
  | { kind: 'follow'; saved: SavedTask }
)

/** A symbol among the members of `_meta`: it passes through middleware and never reaches the wire. */
const ORDER: unique symbol = Symbol('task order')

export function withOrder(meta: JsonObject | undefined, order: TaskOrder): JsonObject {
  return Object.assign({ ...meta }, { [ORDER]: order })
}

export function orderOf(exchange: Exchange): TaskOrder | undefined {
  const meta = exchange.params._meta
  return isJsonObject(meta) ? (meta as { [ORDER]?: TaskOrder })[ORDER] : undefined
}

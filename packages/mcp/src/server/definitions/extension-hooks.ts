import type { Exchange, Handle, Outcome } from '../../exchange/index.ts'
import type { SubscriptionFilter } from '../../protocol/index.ts'

/**
 * How a tool's calls become tasks, where an extension runs tasks and the client can follow them:
 * `optional`: else the client waits for the result; `required`: else the call is refused (clients before
 * 2025-11-25, which cannot know better, wait); `manual`: the handler says when.
 */
export type TaskMode = 'optional' | 'required' | 'manual'

/** Runs a call of a tool, in the tool's task mode if it has one. `call` makes the call, and never throws. */
export type TaskRunner = (
  exchange: Exchange,
  mode: TaskMode | undefined,
  call: Handle,
) => Outcome | Promise<Outcome>

/** A kind of change that an extension announces on `subscriptions/listen`. */
export interface ChangeSource {
  /** The members of the filter that it honours; throws the ProtocolError that refuses the request. */
  grant(asked: SubscriptionFilter, exchange: Exchange): SubscriptionFilter | Promise<SubscriptionFilter>
  /** Called once the filter is acknowledged; returns what ends it. */
  listen(granted: SubscriptionFilter, exchange: Exchange): () => void
}

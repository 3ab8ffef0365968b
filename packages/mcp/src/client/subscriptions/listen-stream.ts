import type { Notification, Outcome } from '../../exchange/index.ts'
import { McpError, ProtocolError } from '../../jsonrpc/index.ts'
import type { SubscriptionFilter } from '../../protocol/index.ts'

/** Sends `subscriptions/listen`; resolves when the server ends it. */
export type OpenListen = (
  filter: SubscriptionFilter,
  notify: (notification: Notification) => void,
  signal: AbortSignal,
) => Promise<Outcome>

/** One `subscriptions/listen` request, from its acknowledgement to its end. */
export class ListenStream {
  readonly filter: SubscriptionFilter
  /** The filter that the server granted. Rejects when the stream ends before the acknowledgement. */
  readonly granted: Promise<SubscriptionFilter>
  /** Resolves when the server ends the stream, rejects when it breaks. */
  readonly ended: Promise<void>
  readonly #abort = new AbortController()

  constructor(filter: SubscriptionFilter, open: OpenListen, deliver: (notification: Notification) => void) {
    this.filter = filter
    let grant: (filter: SubscriptionFilter) => void = () => {}
    const acknowledged = new Promise<SubscriptionFilter>((resolve) => {
      grant = resolve
    })
    const receive = (notification: Notification) => {
      if (this.#abort.signal.aborted) return
      if (notification.method === 'notifications/subscriptions/acknowledged') {
        grant((notification.params?.notifications ?? {}) as SubscriptionFilter)
      } else deliver(notification)
    }
    this.ended = open(filter, receive, this.#abort.signal).then((outcome) => {
      if (outcome.type === 'error') throw ProtocolError.fromJsonRpc(outcome.error)
    })
    const tooEarly = this.ended.then(() => {
      throw new McpError('closed', 'The server ended the subscription before it acknowledged it')
    })
    this.granted = Promise.race([acknowledged, tooEarly])
    this.granted.catch(() => {})
    this.ended.catch(() => {})
  }

  close(): void {
    this.#abort.abort(new McpError('cancelled', 'The subscription is no longer wanted'))
  }

  get closed(): boolean {
    return this.#abort.signal.aborted
  }
}

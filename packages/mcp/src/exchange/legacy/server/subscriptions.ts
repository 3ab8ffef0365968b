import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonObject,
  ProtocolError,
  type JsonObject,
} from '../../../jsonrpc/index.ts'
import { META, passesLevel, type LoggingLevel, type SubscriptionFilter } from '../../../protocol/index.ts'
import { complete, failure, type ClientFacts, type Notification, type Outcome } from '../../exchange.ts'
import { PlainExchange, type RequestContext } from '../../plain-exchange.ts'
import { respondSafely, type Served, writeNotification } from '../../server/answer.ts'

/** Asks a listener for server-wide log messages, which only legacy sessions can receive. */
export const SERVER_LOGS = 'gantry/serverLogs'

/** Asks a listener for what becomes of the tasks that a session of 2025-11-25 has made. */
export const TASK_STATUS = 'gantry/taskStatus'

/** Bounds what one session can make us remember, whatever the server behind it allows. */
const MAX_SUBSCRIPTIONS = 10_000

export interface SubscriptionHost {
  readonly id: string
  readonly served: Served
  readonly client: ClientFacts
  readonly logLevel: LoggingLevel | undefined
  /** The reader is far behind: log messages are dropped. */
  readonly isCongested: boolean
  /** Sends on the connection, not on any request's stream. */
  send(text: string): void
}

/**
 * Plays `subscriptions/listen` for a legacy session: one request for the lists, and one for each subscribed resource.
 */
export class LegacySubscriptions {
  readonly #host: SubscriptionHost
  #lists: PlainExchange | undefined
  #resources: Map<string, PlainExchange> | undefined

  constructor(host: SubscriptionHost) {
    this.#host = host
  }

  /** The resources that are followed. */
  get uris(): readonly string[] {
    return [...(this.#resources?.keys() ?? [])]
  }

  openLists(context: RequestContext): void {
    if (this.#lists) return
    const filter = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      [SERVER_LOGS]: true,
      [TASK_STATUS]: true,
    }
    this.#lists = this.#listen(filter, context).exchange
  }

  /** Resolves when the subscription is acknowledged, or with why it is not. */
  async subscribe(uri: string, context: RequestContext): Promise<Outcome> {
    this.#resources ??= new Map()
    if (this.#resources.has(uri)) return complete({})
    if (this.#resources.size >= MAX_SUBSCRIPTIONS) {
      return failure(new ProtocolError(INVALID_REQUEST, 'Too many subscriptions: end some first'))
    }
    const { exchange, settled } = this.#listen({ resourceSubscriptions: [uri] }, context)
    this.#resources.set(uri, exchange)
    const outcome = await settled
    if (outcome.type !== 'complete') this.unsubscribe(uri)
    return outcome
  }

  unsubscribe(uri: string): void {
    this.#resources?.get(uri)?.abort('unsubscribed')
    this.#resources?.delete(uri)
  }

  close(): void {
    this.#lists?.abort('closed')
    for (const exchange of this.#resources?.values() ?? []) exchange.abort('closed')
    this.#resources?.clear()
  }

  #listen(
    notifications: SubscriptionFilter,
    context: RequestContext,
  ): { exchange: PlainExchange; settled: Promise<Outcome> } {
    let acknowledge: (outcome: Outcome) => void = () => {}
    const acknowledged = new Promise<Outcome>((resolve) => {
      acknowledge = resolve
    })
    const exchange = new PlainExchange({
      method: 'subscriptions/listen',
      params: { notifications },
      client: this.#host.client,
      auth: context.auth,
      serverContext: context.serverContext,
      headers: context.headers,
      peer: context.peer,
      session: this.#host,
      notify: (notification) => {
        if (notification.method === 'notifications/subscriptions/acknowledged')
          acknowledge(granted(notifications, notification))
        else this.#forward(notification)
      },
    })
    const ended = Promise.resolve(respondSafely(this.#host.served, exchange))
    return { exchange, settled: Promise.race([acknowledged, ended]) }
  }

  #forward(notification: Notification): void {
    if (notification.method === 'notifications/message') {
      const level = notification.params?.level as LoggingLevel
      if (this.#host.isCongested || !passesLevel(level, this.#host.logLevel)) return
    }
    this.#host.send(writeNotification(withoutSubscriptionId(notification)))
  }
}

/** A server acknowledges what it grants, and leaves out what it refuses. */
function granted(
  { resourceSubscriptions: [uri] = [] }: SubscriptionFilter,
  { params }: Notification,
): Outcome {
  const { resourceSubscriptions } = { ...(params?.notifications as SubscriptionFilter | undefined) }
  if (uri === undefined || resourceSubscriptions?.includes(uri)) return complete({})
  return failure(new ProtocolError(INVALID_PARAMS, `The server grants no subscription to ${uri}`))
}

function withoutSubscriptionId(notification: Notification): Notification {
  const meta = notification.params?._meta
  if (!isJsonObject(meta) || !(META.subscriptionId in meta)) return notification
  const { [META.subscriptionId]: _id, ...others } = meta
  const params: JsonObject = { ...notification.params }
  if (Object.keys(others).length > 0) params._meta = others
  else delete params._meta
  return Object.keys(params).length > 0
    ? { method: notification.method, params }
    : { method: notification.method }
}

import { isJsonObject } from '../../../jsonrpc/index.ts'
import { META, type ServerCapabilities, type SubscriptionFilter } from '../../../protocol/index.ts'
import { abortError } from '../../plain-exchange.ts'
import { coversUri, HeldNotifications } from '../../subscriptions.ts'
import type { Exchange, Notification, Outcome } from '../../exchange.ts'

const LISTS = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
} as const

type ListName = (typeof LISTS)[keyof typeof LISTS]

interface Listener {
  readonly filter: SubscriptionFilter
  readonly held: HeldNotifications
  emit(notification: Notification): void
  fail(reason: Error): void
}

/** `subscriptions/listen` for a legacy server: fans out list changes and shares resource subscriptions. */
export class LegacyListeners {
  readonly #capabilities: ServerCapabilities
  readonly #resources: ResourceSubscriptions
  readonly #listeners = new Set<Listener>()
  #lastId = 0

  constructor(capabilities: ServerCapabilities, ask: AskServer) {
    this.#capabilities = capabilities
    this.#resources = new ResourceSubscriptions(ask)
  }

  /** Runs until the exchange is aborted or the connection ends. */
  async listen(exchange: Exchange): Promise<Outcome> {
    const { signal } = exchange
    if (signal.aborted) throw abortError(signal)
    const filter = readFilter(exchange.params.notifications)
    const uris = this.#capabilities.resources?.subscribe ? (filter.resourceSubscriptions ?? []) : []
    const { listener, failed, release } = this.#createListener(exchange, filter)
    try {
      const accepted = await Promise.race([this.#resources.add(uris), failed])
      this.#acknowledge(listener, accepted)
      return await failed
    } finally {
      release()
      this.#resources.remove(uris)
    }
  }

  /** Gives a notification to all its listeners; undefined when listeners cannot ask for this kind of notification. */
  dispatch(notification: Notification): 'heard' | 'unheard' | undefined {
    const isWanted = matcher(notification)
    if (!isWanted) return undefined
    const interested = [...this.#listeners].filter((listener) => isWanted(listener.filter))
    for (const listener of interested) listener.held.notify(notification)
    return interested.length > 0 ? 'heard' : 'unheard'
  }

  end(reason: Error): void {
    for (const listener of this.#listeners) listener.fail(reason)
  }

  #createListener(exchange: Exchange, filter: SubscriptionFilter) {
    const id = ++this.#lastId
    const { promise: failed, reject } = rejectable()
    const onAbort = () => reject(abortError(exchange.signal))
    exchange.signal.addEventListener('abort', onAbort, { once: true })
    const emit = (notification: Notification): void => exchange.notify(withSubscription(notification, id))
    const listener: Listener = { filter, held: new HeldNotifications(emit), emit, fail: reject }
    this.#listeners.add(listener)
    const release = () => {
      exchange.signal.removeEventListener('abort', onAbort)
      this.#listeners.delete(listener)
    }
    return { listener, failed, release }
  }

  #acknowledge(listener: Listener, accepted: string[]): void {
    const { filter } = listener
    const granted: SubscriptionFilter = {}
    for (const list of Object.values(LISTS)) {
      const key = filterKey(list)
      if (filter[key] === true && this.#capabilities[list]?.listChanged) granted[key] = true
    }
    if (accepted.length > 0) granted.resourceSubscriptions = accepted
    listener.emit({ method: 'notifications/subscriptions/acknowledged', params: { notifications: granted } })
    listener.held.release()
  }
}

function readFilter(value: unknown): SubscriptionFilter {
  if (!isJsonObject(value)) return {}
  const uris = value.resourceSubscriptions
  const resourceSubscriptions = Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : []
  return { ...value, resourceSubscriptions: [...new Set(resourceSubscriptions)] }
}

function filterKey(list: ListName): `${ListName}ListChanged` {
  return `${list}ListChanged`
}

/** Which filters let a notification through. Servers that announce more than they declared are heard too. */
function matcher({ method, params }: Notification): ((filter: SubscriptionFilter) => boolean) | undefined {
  if (Object.hasOwn(LISTS, method)) {
    const key = filterKey(LISTS[method as keyof typeof LISTS])
    return (filter) => filter[key] === true
  }
  const uri = params?.uri
  if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return undefined
  return (filter) => filter.resourceSubscriptions?.some((wanted) => coversUri(wanted, uri)) === true
}

function withSubscription(notification: Notification, id: number): Notification {
  const { params } = notification
  const meta = isJsonObject(params?._meta) ? params._meta : {}
  return { ...notification, params: { ...params, _meta: { ...meta, [META.subscriptionId]: id } } }
}

function rejectable(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => {}
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise
  })
  promise.catch(() => {})
  return { promise, reject }
}

/** Asks the server to `resources/subscribe` or `resources/unsubscribe`; says whether it agreed. */
type AskServer = (method: string, uri: string) => Promise<boolean>

interface Entry {
  count: number
  /** Whether the last `resources/subscribe` was accepted; also the end of the queue for this URI. */
  accepted: Promise<boolean>
}

/** Counts the listeners of each resource, so that the server sees one subscription per URI, in order. */
class ResourceSubscriptions {
  readonly #entries = new Map<string, Entry>()
  readonly #ask: AskServer

  constructor(ask: AskServer) {
    this.#ask = ask
  }

  /** Counts one more subscriber for each URI. Resolves with the URIs that the server accepted. */
  async add(uris: Iterable<string>): Promise<string[]> {
    const pending = [...uris].map(async (uri) => ({ uri, accepted: await this.#addOne(uri) }))
    const settled = await Promise.all(pending)
    return settled.filter(({ accepted }) => accepted).map(({ uri }) => uri)
  }

  remove(uris: Iterable<string>): void {
    for (const uri of uris) {
      const entry = this.#entries.get(uri)
      if (entry && --entry.count === 0) this.#release(uri, entry)
    }
  }

  #addOne(uri: string): Promise<boolean> {
    const entry = this.#entries.get(uri) ?? { count: 0, accepted: Promise.resolve(false) }
    this.#entries.set(uri, entry)
    if (++entry.count === 1) {
      entry.accepted = entry.accepted.then(() => this.#ask('resources/subscribe', uri))
    }
    return entry.accepted
  }

  #release(uri: string, entry: Entry): void {
    entry.accepted = entry.accepted.then(async (subscribed) => {
      if (subscribed) await this.#ask('resources/unsubscribe', uri)
      if (entry.count === 0) this.#entries.delete(uri)
      return false
    })
  }
}

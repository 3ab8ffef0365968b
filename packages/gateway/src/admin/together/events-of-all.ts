import type { AdminEvent, StreamItem, Topic } from '../contract.ts'
import { Channel } from '../events/channel.ts'
import { TOPICS } from '../events/event-hub.ts'
import type { Handlers } from '../handlers.ts'
import type { Asking } from './asking.ts'

type Item = StreamItem<AdminEvent>
type Request = Parameters<Handlers['events']>[0]

export interface EventSourcesOfAll {
  readonly own: Handlers
  /** Answers for all gateways. */
  readonly all: Handlers
  readonly asking: Asking
}

/** Every gateway has the same of these, or what it says of them counts for itself alone. */
const OWN: ReadonlySet<Topic> = new Set(['config', 'catalog', 'stats'])
/** What another gateway tells is as true here. Other events of it are left out. */
const PASSED: ReadonlySet<AdminEvent['type']> = new Set([
  'target-steps',
  'stderr',
  'wire',
  'clients',
  'waiting',
  'approvals',
  'trial',
  'playground',
  'log',
  'audit',
])
/** How often new gateways are looked for. */
const LOOK = 2_000
const GATHER = 100

/** The events of all gateways in one stream. Other gateways are asked only while the stream is read. */
export function eventsOfAll(sources: EventSourcesOfAll, request: Request): AsyncIterable<Item> {
  // What another gateway told meanwhile is not known, so a stream that is taken up again begins anew.
  const { lastEventId, ...fresh } = request
  const events = sources.own.events(fresh)[Symbol.asyncIterator]()
  const stream = new EventsOfAll(sources, fresh, events)
  if (lastEventId !== undefined) stream.tellReset()
  return stream.channel
}

class EventsOfAll {
  readonly channel: Channel<Item>
  readonly #sources: EventSourcesOfAll
  readonly #request: Request
  readonly #over = new AbortController()
  readonly #open = new Set<string>()
  /** Targets whose cards are to be told anew. */
  readonly #changed = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #isTelling = false
  #isCounting = false
  readonly #calls = new Map<string, number>()

  constructor(sources: EventSourcesOfAll, request: Request, own: AsyncIterator<Item>) {
    this.#sources = sources
    this.#request = { ...request, signal: this.#over.signal }
    this.channel = new Channel(() => {
      clearInterval(this.#timer)
      this.#over.abort()
      void own.return?.()
    })
    void this.#follow(own)
    this.#openOthers()
    this.#timer = setInterval(() => {
      if (this.#openOthers()) this.tellReset()
    }, LOOK).unref()
  }

  /** Something may have been missed. */
  tellReset(): void {
    this.#push({ type: 'reset', at: Date.now() })
  }

  #push(event: AdminEvent, id?: string): void {
    this.channel.push({ id, event })
  }

  async #follow(own: AsyncIterator<Item>): Promise<void> {
    for (let next = await own.next(); !next.done; next = await own.next()) {
      const { id, event } = next.value
      if (event.type === 'stats') void this.#tellStats(event)
      else if (event.type === 'target') this.#targetChanged(event.target.name)
      else this.#push(event, id)
    }
    this.channel.close()
  }

  /** Whether there are others that were not there before. */
  #openOthers(): boolean {
    const fresh = this.#sources.asking.ids.filter((id) => !this.#open.has(id))
    for (const id of fresh) void this.#followOther(id)
    return fresh.length > 0
  }

  async #followOther(id: string): Promise<void> {
    const { topics: asked } = this.#request.query ?? {}
    const wanted = asked === undefined || asked === '' ? TOPICS : (asked.split(',') as Topic[])
    const topics = wanted.filter((topic) => !OWN.has(topic)).join(',')
    this.#open.add(id)
    if (topics === '') return
    try {
      const request = { ...this.#request, query: { topics } }
      for await (const { event } of this.#sources.asking.events(id, 'events', request)) {
        if (event.type === 'target') this.#targetChanged(event.target.name)
        else if (PASSED.has(event.type)) this.#push(event)
      }
    } catch {
      // It is gone, or is just starting: it is looked for again.
    }
    this.#open.delete(id)
    if (!this.#over.signal.aborted) this.tellReset()
  }

  #targetChanged(name: string): void {
    this.#changed.add(name)
    if (this.#isTelling) return
    this.#isTelling = true
    setTimeout(() => void this.#tellTargets(), GATHER).unref()
  }

  async #tellTargets(): Promise<void> {
    const names = new Set(this.#changed)
    this.#changed.clear()
    const { targets } = await Promise.resolve(this.#sources.all.targets(this.#request)).catch(() => ({
      targets: [],
    }))
    for (const target of targets) {
      if (names.has(target.name)) this.#push({ type: 'target', target, at: Date.now() })
    }
    this.#isTelling = false
    for (const name of this.#changed) this.#targetChanged(name)
  }

  /** When our own figures are sent, the figures of all gateways are sent. */
  async #tellStats(own: Extract<AdminEvent, { type: 'stats' }>): Promise<void> {
    if (this.#isCounting) return
    this.#isCounting = true
    const overview = await Promise.resolve(this.#sources.all.overview(this.#request)).catch(() => undefined)
    this.#isCounting = false
    if (!overview) return this.#push(own)
    const { total, clients, inFlight } = overview
    const { unheard } = overview.gateway
    const busy = overview.targets.filter(({ name, stats }) => this.#calls.get(name) !== stats.calls)
    for (const { name, stats } of busy) this.#calls.set(name, stats.calls)
    const targets = Object.fromEntries(busy.map(({ name, stats }) => [name, stats]))
    const missing = unheard && { unheard }
    this.#push({ type: 'stats', total, targets, clients, inFlight, ...missing, at: Date.now() })
  }
}

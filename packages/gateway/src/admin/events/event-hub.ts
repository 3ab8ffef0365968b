import type { AdminEvent, StreamItem, Topic } from '../contract.ts'
import { Channel } from './channel.ts'

export const TOPICS: readonly Topic[] = [
  'targets',
  'stderr',
  'catalog',
  'wire',
  'exchanges',
  'clients',
  'config',
  'stats',
  'trials',
  'playground',
  'log',
  'audit',
]

export type NewEvent = AdminEvent extends infer Event
  ? Event extends AdminEvent
    ? Omit<Event, 'at'>
    : never
  : never

interface Kept {
  readonly seq: number
  readonly topic: Topic
  readonly event: AdminEvent
}

interface Reader {
  readonly topics: ReadonlySet<Topic>
  readonly channel: Channel<StreamItem<AdminEvent>>
}

const KEPT_EVENTS = 500
/** Soon repeated and of no use later. */
const FLEETING: ReadonlySet<Topic> = new Set(['stats', 'wire', 'audit'])

/** A listener to the second topic hears events of the first as well. */
const HEARD_BY: Readonly<Partial<Record<Topic, Topic>>> = { wire: 'exchanges' }

/** Sends events to every open console. A console that comes back gets the events that it missed. */
export class EventHub {
  /** Ids of an earlier run of the gateway mean nothing here. */
  readonly #epoch: string = Date.now().toString(36)
  readonly #kept: Kept[] = []
  readonly #readers = new Set<Reader>()
  readonly #onTopics: (wanted: ReadonlySet<Topic>) => void
  #seq = 0

  /** `onTopics` hears which topics anybody wants, whenever that changes. */
  constructor(onTopics: (wanted: ReadonlySet<Topic>) => void) {
    this.#onTopics = onTopics
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0
  }

  wants(topic: Topic): boolean {
    for (const reader of this.#readers) if (reader.topics.has(topic)) return true
    return false
  }

  emit(topic: Topic, fresh: NewEvent): void {
    const event = { ...fresh, at: Date.now() } as AdminEvent
    const seq = ++this.#seq
    if (!FLEETING.has(topic)) {
      this.#kept.push({ seq, topic, event })
      if (this.#kept.length > KEPT_EVENTS) this.#kept.shift()
    }
    const also = HEARD_BY[topic]
    for (const { topics, channel } of this.#readers) {
      if (topics.has(topic) || (also && topics.has(also))) channel.push({ id: this.#id(seq), event })
    }
  }

  /** A stream of its topics, beginning with `hello` and what came after `lastEventId`. */
  open(
    topics: ReadonlySet<Topic>,
    hello: NewEvent,
    lastEventId: string | undefined,
  ): Channel<StreamItem<AdminEvent>> {
    const channel = new Channel<StreamItem<AdminEvent>>(() => {
      this.#readers.delete(reader)
      this.#topicsChanged()
    })
    const reader: Reader = { topics, channel }
    channel.push(this.#now(hello))
    if (lastEventId !== undefined) this.#catchUp(reader, lastEventId)
    this.#readers.add(reader)
    this.#topicsChanged()
    return channel
  }

  #catchUp({ topics, channel }: Reader, lastEventId: string): void {
    const [epoch, text] = lastEventId.split('-', 2)
    const last = Number(text)
    const oldest = this.#kept[0]?.seq ?? this.#seq + 1
    const isKnown = epoch === this.#epoch && Number.isInteger(last) && last <= this.#seq
    // Events that are not kept have numbers too, so a gap before the oldest one need not be a loss.
    if (!isKnown || (last + 1 < oldest && this.#kept.length === KEPT_EVENTS)) {
      channel.push(this.#now({ type: 'reset' }))
      return
    }
    for (const { seq, topic, event } of this.#kept) {
      if (seq > last && topics.has(topic)) channel.push({ id: this.#id(seq), event })
    }
  }

  #now(event: NewEvent): StreamItem<AdminEvent> {
    return { id: this.#id(this.#seq), event: { ...event, at: Date.now() } as AdminEvent }
  }

  #id(seq: number): string {
    return `${this.#epoch}-${seq}`
  }

  #topicsChanged(): void {
    const wanted = new Set<Topic>()
    for (const { topics } of this.#readers) for (const topic of topics) wanted.add(topic)
    this.#onTopics(wanted)
  }

  close(): void {
    for (const { channel } of [...this.#readers]) channel.close()
  }
}

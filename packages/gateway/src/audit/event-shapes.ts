import { type Clean, type EventFacts, OCSF_VERSION, shapeOf } from './audit-event.ts'

/** Texts that were clean may hold a secret that became known since, such as a token. */
const KEPT_FOR = 10_000
const VERSION = JSON.stringify(OCSF_VERSION)

/** The bytes that like events of one chain have in common: all but the numbers of the event, its time and what is not mapped. */
export interface ChainShape {
  /** Up to the request. */
  readonly front: Buffer
  /** From there to the fingerprint. */
  readonly api: Buffer
  /** Up to the sequence. */
  readonly middle: Buffer
  /** From its id to the time. */
  readonly end: Buffer
  /** The length of all of them. */
  readonly bytes: number
  readonly type: number
}

export interface ShapeOptions {
  readonly chain: string
  /** The members of the metadata that all events have. */
  readonly about: string
  readonly clean: Clean
  /** Makes an id of a session that opens nothing. */
  hide(session: string): string
}

/** Keeps the shapes of events by their facts: the same callers call the same tools again and again. */
export class EventShapes {
  readonly #options: ShapeOptions
  #known = new WeakMap<EventFacts, ChainShape>()
  #until = 0

  constructor(options: ShapeOptions) {
    this.#options = options
  }

  of(facts: EventFacts): ChainShape {
    const now = performance.now()
    if (now > this.#until) {
      this.#known = new WeakMap()
      this.#until = now + KEPT_FOR
    }
    let shape = this.#known.get(facts)
    if (!shape) {
      shape = this.#make(facts)
      this.#known.set(facts, shape)
    }
    return shape
  }

  #make(facts: EventFacts): ChainShape {
    const { chain, about, clean, hide } = this.#options
    const shape = shapeOf(facts, clean, hide)
    const front = Buffer.from(shape.front)
    const api = Buffer.from(`${shape.api}"attestation_list":[{"chain_uid":"${chain}"`)
    const middle = Buffer.from(`}],${shape.middle}{${about},"sequence":`)
    const end = Buffer.from(`","version":${VERSION}}${shape.end}`)
    const bytes = front.length + api.length + middle.length + end.length
    return { front, api, middle, end, bytes, type: shape.type }
  }
}

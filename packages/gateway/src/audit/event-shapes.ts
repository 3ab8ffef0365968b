import { type Clean, type EventFacts, type EventShape, shapeOf } from './audit-event.ts'

/** Texts that were clean may hold a secret that became known since, such as a token. */
const KEPT_FOR = 10_000

/** Keeps the shapes of events by their facts: the same callers call the same tools again and again. */
export class EventShapes {
  readonly #clean: Clean
  readonly #hide: (session: string) => string
  #known = new WeakMap<EventFacts, EventShape>()
  #until = 0

  /** `hide` makes an id of a session that opens nothing. */
  constructor(clean: Clean, hide: (session: string) => string) {
    this.#clean = clean
    this.#hide = hide
  }

  readonly of = (facts: EventFacts): EventShape => {
    const now = performance.now()
    if (now > this.#until) {
      this.#known = new WeakMap()
      this.#until = now + KEPT_FOR
    }
    let shape = this.#known.get(facts)
    if (!shape) {
      shape = shapeOf(facts, this.#clean, this.#hide)
      this.#known.set(facts, shape)
    }
    return shape
  }
}

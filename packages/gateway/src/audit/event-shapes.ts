import { type AuditActor, type AuditEvent, type Clean, shapeOf } from './audit-event.ts'
import { bytesOf, type ShapeBytes } from './hash-chain.ts'

const MOST = 2000
/** Callers decide how long the names are that they ask for. */
const LONGEST = 1000
/** Texts that were clean may hold a secret that became known since, such as a token. */
const KEPT_FOR = 10_000

interface Known {
  readonly event: AuditEvent
  readonly shape: ShapeBytes
}

export interface ShapeOptions {
  readonly chain: string
  /** The members of the metadata that all events have. */
  readonly about: string
  readonly clean: Clean
  /** Makes an id of a session that opens nothing. */
  hide(session: string): string
}

/** Keeps the shapes of events: the same callers call the same tools again and again. */
export class EventShapes {
  readonly #options: ShapeOptions
  readonly #known = new Map<string, Known>()
  #until = 0

  constructor(options: ShapeOptions) {
    this.#options = options
  }

  of(event: AuditEvent): ShapeBytes {
    // What went wrong is told in words of its own each time.
    if (event.detail !== undefined) return this.#make(event)
    const { operation, object, actor } = event
    // Only a place to look: whether it is the same event is compared member by member.
    const key = `${operation} ${object?.name ?? ''} ${actor.client?.name ?? ''} ${actor.principal?.subject ?? ''}`
    if (key.length > LONGEST) return this.#make(event)
    const now = performance.now()
    const known = now > this.#until ? undefined : this.#known.get(key)
    if (known && areAlike(known.event, event)) return known.shape
    if (this.#known.size >= MOST || now > this.#until) {
      this.#known.clear()
      this.#until = now + KEPT_FOR
    }
    const shape = this.#make(event)
    this.#known.set(key, { event: { ...event, more: undefined }, shape })
    return shape
  }

  #make(event: AuditEvent): ShapeBytes {
    const { chain, about, clean, hide } = this.#options
    return bytesOf(shapeOf(event, clean, hide), chain, about)
  }
}

/** Whether two events have the same shape. */
function areAlike(one: AuditEvent, other: AuditEvent): boolean {
  return (
    one.operation === other.operation &&
    one.activity === other.activity &&
    one.decision === other.decision &&
    one.rule === other.rule &&
    one.status === other.status &&
    one.outcome === other.outcome &&
    one.code === other.code &&
    one.target === other.target &&
    one.revision === other.revision &&
    one.object?.type === other.object?.type &&
    one.object?.name === other.object?.name &&
    areSameActor(one.actor, other.actor)
  )
}

function areSameActor(one: AuditActor, other: AuditActor): boolean {
  const { principal: first, client } = one
  const { principal: second } = other
  return (
    first?.kind === second?.kind &&
    first?.issuer === second?.issuer &&
    first?.subject === second?.subject &&
    client?.name === other.client?.name &&
    one.invokedBy === other.invokedBy &&
    one.clientId === other.clientId &&
    one.session === other.session &&
    one.from === other.from
  )
}

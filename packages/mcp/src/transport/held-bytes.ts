import { type Duration, parseDuration } from '../protocol/parse-duration.ts'
import { requireKnownOptions } from '../protocol/known-options.ts'
import { Budget, type BudgetLimit, type BudgetLimits, type OpenMember, OpenSet } from '../protocol/callers.ts'
import { RefusedForLoad } from '../exchange/server/answer.ts'
import { McpError } from '../jsonrpc/index.ts'

const SWEEP = 1000
/** A holding that has not moved for this part of the time-out, at least a second, makes room for others. */
const STANDS_STILL = 1 / 6
const LEAST_STANDSTILL = 1000
/** So many new bytes count as a movement. Single bytes now and then do not. */
const STEP = 64 * 1024

/**
 * Counts the bytes that are held for peers: how many in each holding, and for how long. One timer watches all holdings.
 */
export class HeldBytes {
  readonly timeout: number
  readonly #budget: Budget
  readonly #open = new OpenSet<Holding>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: BudgetLimits, timeout: number) {
    this.#budget = new Budget(limits)
    this.timeout = timeout
  }

  get held(): number {
    return this.#budget.held
  }

  /** Which limit has no room for so many more bytes of a message. */
  lacks(peer: string, bytes: number): BudgetLimit | undefined {
    return this.#budget.lacksForWhole(peer, bytes)
  }

  /** The same, after holdings that stand still have made room. */
  lacksAtLast(peer: string, bytes: number, holding?: Holding): BudgetLimit | undefined {
    for (;;) {
      const lacking = this.lacks(peer, bytes)
      if (lacking === undefined) return undefined
      const slowest = this.slowest(lacking === 'perCaller' ? peer : undefined)
      const standstill = Math.max(LEAST_STANDSTILL, this.timeout * STANDS_STILL)
      if (!slowest || slowest === holding || slowest.movedAt > Date.now() - standstill) return lacking
      slowest.end()
    }
  }

  /** Begins a holding. `overdue` is called with what it held when it has not moved for the time-out, and was closed. */
  hold(peer: string, overdue: (bytes: number) => void): Holding {
    const holding = new Holding(this, peer, overdue)
    this.#open.add(holding)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP, this.timeout))
      this.#timer.unref?.()
    }
    return holding
  }

  /** The holding that has not moved for the longest time: among all holdings, or the holdings of one peer. */
  slowest(peer: string | undefined): Holding | undefined {
    let slowest: Holding | undefined
    for (const holding of this.#open.all()) {
      if (peer !== undefined && holding.peer !== peer) continue
      if (!slowest || holding.movedAt < slowest.movedAt) slowest = holding
    }
    return slowest
  }

  count(peer: string, more: number): BudgetLimit | undefined {
    if (more <= 0) {
      if (more < 0) this.#budget.give(peer, -more)
      return undefined
    }
    const lacking = this.lacks(peer, more)
    this.#budget.add(peer, more)
    return lacking
  }

  close(holding: Holding): void {
    if (this.#open.delete(holding)) holding.set(0)
  }

  #sweep(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const due = Date.now() - this.timeout
    for (const holding of this.#open.all()) if (this.dueFrom(holding) <= due) holding.end()
  }

  /** When the time-out of a holding began. */
  protected dueFrom(holding: Holding): number {
    return holding.movedAt
  }
}

/** The bytes that are held for a message or a connection of a peer. */
export class Holding implements OpenMember {
  place = -1
  bytes = 0
  readonly openedAt: number = Date.now()
  movedAt: number = this.openedAt
  #movedTo = 0
  readonly peer: string
  readonly #all: HeldBytes
  readonly #overdue: (bytes: number) => void

  constructor(all: HeldBytes, peer: string, overdue: (bytes: number) => void) {
    this.#all = all
    this.peer = peer
    this.#overdue = overdue
  }

  /** Sets how much is held now. Returns the limit that has no room for it; the amount counts in any case. */
  set(bytes: number): BudgetLimit | undefined {
    const more = bytes - this.bytes
    this.bytes = bytes
    return this.#all.count(this.peer, more)
  }

  /** The peer has read something, and so many bytes are left. */
  moved(bytes: number): void {
    this.movedAt = Date.now()
    this.set(bytes)
  }

  /** So many bytes of the message have come. */
  grew(bytes: number): void {
    if (bytes - this.#movedTo >= STEP) {
      this.#movedTo = bytes
      this.movedAt = Date.now()
    }
    this.set(bytes)
  }

  /** Closes the holding and reports it. */
  end(): void {
    const { bytes } = this
    this.close()
    this.#overdue(bytes)
  }

  close(): void {
    this.#all.close(this)
  }
}

export interface BodyLimits {
  /** A longer body is refused with 413. */
  readonly maxBytes: number
  /** A body must be complete after this many milliseconds; otherwise it is refused with 408. */
  readonly timeout: number
  /** Bytes of bodies that are being received; more are refused with 429. */
  readonly receiving: BudgetLimits
}

/** The reason for not reading the rest of a body, and the answer to its sender. */
export interface BodyRefusal {
  readonly status: 408 | 413 | 415 | 429
  readonly message: string
}

/** All bodies that are being received: how much memory they take, and for how long. */
export class IncomingBodies extends HeldBytes {
  readonly limits: BodyLimits

  constructor(limits: BodyLimits) {
    super(limits.receiving, limits.timeout)
    this.limits = limits
  }

  /** Begins to count a body. `refuse` is called when it takes too long, or stops while others need its room. */
  open(sender: string, refuse: (refusal: BodyRefusal) => void): Holding {
    const body = this.hold(sender, () => {
      const isLate = Date.now() - body.openedAt >= this.timeout
      const late = `The body did not arrive within ${this.timeout} ms`
      refuse({ status: 408, message: isLate ? late : 'The body stopped, and others needed its room' })
    })
    return body
  }

  /** A body must be complete in time, whether or not it moves. */
  protected override dueFrom(body: Holding): number {
    return body.openedAt
  }

  /** Counts what has come; returns why no more is taken. */
  add(body: Holding, bytes: number): BodyRefusal | undefined {
    const { maxBytes } = this.limits
    if (body.bytes + bytes > maxBytes) return tooLarge(maxBytes)
    const lacking = this.lacksAtLast(body.peer, bytes, body)
    body.grew(body.bytes + bytes)
    if (lacking === undefined) return undefined
    const whose = lacking === 'perCaller' ? 'of this client' : 'of all clients'
    return { status: 429, message: `Too many request bodies ${whose} are being received: try again` }
  }
}

/** Why a body is refused by its head; undefined when it may come. */
export function refuseHead(
  encoding: string | null = 'identity',
  length: unknown,
  maxBytes: number,
): BodyRefusal | undefined {
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    return { status: 415, message: 'Content-Encoding is not supported: send the body as it is' }
  }
  return Number(length ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined
}

function tooLarge(maxBytes: number): BodyRefusal {
  return { status: 413, message: `Invalid request: the body is larger than ${maxBytes} bytes` }
}

export interface UnreadLimits {
  /** A client that reads nothing of its answer for this long is cut off. */
  readonly stallTimeout: Duration
  /** Bytes of answers that their clients have not read. */
  readonly held: BudgetLimits
  /** Told why the connection of an HTTP client was ended. */
  readonly onCutOff?: ((reason: McpError) => void) | undefined
}

/** The system buffers so many bytes in most cases. Answers up to this length are always sent. */
export const SMALL_ANSWER: number = 64 * 1024

/** All answers that their readers have not taken yet: how much memory they take, and for how long. */
export class UnreadAnswers extends HeldBytes {
  readonly limits: UnreadLimits

  constructor(limits: UnreadLimits) {
    super(limits.held, parseDuration(limits.stallTimeout))
    requireKnownOptions('limit', { stallTimeout: 1, held: 1, onCutOff: 1 }, limits)
    this.limits = limits
  }

  /** Why an answer of this length is refused; undefined when it is held. Stalled readers are cut off first. */
  refusal(reader: string, bytes: number, small: number = SMALL_ANSWER): RefusedForLoad | undefined {
    if (bytes <= small) return undefined
    const lacking = this.lacksAtLast(reader, bytes)
    if (lacking === undefined) return undefined
    const whose = lacking === 'perCaller' ? 'This client has' : 'Clients have'
    return new RefusedForLoad(`${whose} too many unread answers: read them, then ask again`, {
      reason: 'unread_answers',
    })
  }

  /** Begins to watch a reader. `cut` ends its connection. */
  open(reader: string, cut: (reason: McpError) => void): Holding {
    const holding = this.hold(reader, (waiting) => {
      const quietFor = Date.now() - holding.movedAt
      const message = `The client has read nothing for ${quietFor} ms while ${waiting} bytes wait for it: its connection is ended`
      cut(new McpError('timeout', message, { details: { reader, waiting, quietFor } }))
    })
    return holding
  }
}

/** An answer whose bytes count for the sender of its request until they are read. */
export abstract class CountedReply {
  protected readonly unread: UnreadAnswers
  protected sender = ''

  constructor(unread: UnreadAnswers) {
    this.unread = unread
  }

  /** The sender that its bytes count for. */
  countFor(sender: string): void {
    this.sender = sender
  }

  refusesToHold(bytes: number): RefusedForLoad | undefined {
    return this.unread.refusal(this.sender, bytes)
  }
}

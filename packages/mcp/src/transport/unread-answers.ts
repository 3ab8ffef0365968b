import { Budget, type BudgetLimits } from '../exchange/budget.ts'
import { type Live, LiveSet } from '../exchange/live-set.ts'
import { RefusedForLoad } from '../exchange/refused-for-load.ts'
import { unref } from '../protocol/index.ts'

export interface UnreadLimits {
  /** A client that reads nothing of its answer for this many milliseconds is cut off. */
  readonly stallTimeout: number
  /** Bytes of answers that their clients have not read. */
  readonly held: BudgetLimits
}

/** So much the system takes off our hands in most cases: it is sent in any case, and hardly ever held. */
export const SMALL_ANSWER: number = 64 * 1024

/** A reader that has not moved for this part of the time-out, but at least a second, makes room for others. */
const STANDS_STILL = 1 / 6
const LEAST_STANDSTILL = 1000
const SWEEP = 1000

/** All answers that their readers have not taken yet: how much memory they take, and for how long. */
export class UnreadAnswers {
  readonly limits: UnreadLimits
  readonly #budget: Budget
  readonly #open = new LiveSet<UnreadAnswer>()
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: UnreadLimits) {
    this.limits = limits
    this.#budget = new Budget(limits.held)
  }

  /** Bytes that wait for their readers. */
  get held(): number {
    return this.#budget.held
  }

  /**
   * Why an answer of this length cannot be held for its reader; undefined when it can. Readers that stand still are
   * cut off to make room for it.
   */
  refusal(sender: string, bytes: number): RefusedForLoad | undefined {
    if (bytes <= SMALL_ANSWER) return undefined
    let lacking = this.#lacking(sender, bytes)
    while (lacking !== undefined && this.#cutOneOff(lacking === 'perCaller' ? sender : undefined)) {
      lacking = this.#lacking(sender, bytes)
    }
    if (lacking === undefined) return undefined
    const whose = lacking === 'perCaller' ? 'This client has' : 'Clients have'
    return new RefusedForLoad(`${whose} too many unread answers: read them, then ask again`, {
      reason: 'unread_answers',
    })
  }

  /** One answer to a caller that has no other is no matter of a share. */
  #lacking(sender: string, bytes: number): keyof BudgetLimits | undefined {
    const lacking = this.#budget.lacks(sender, bytes)
    if (lacking !== 'perCaller' || this.#budget.heldBy(sender) > 0) return lacking
    return this.#budget.held + bytes > Math.max(this.limits.held.total, bytes) ? 'total' : undefined
  }

  #cutOneOff(sender: string | undefined): boolean {
    const standstill = Math.max(LEAST_STANDSTILL, this.limits.stallTimeout * STANDS_STILL)
    let slowest: UnreadAnswer | undefined
    for (const answer of this.#open.all()) {
      if (sender !== undefined && answer.sender !== sender) continue
      if (!slowest || answer.movedAt < slowest.movedAt) slowest = answer
    }
    if (!slowest || slowest.movedAt > Date.now() - standstill) return false
    slowest.cutOff()
    return true
  }

  /** Begins to watch a reader. `cut` ends its connection. */
  open(sender: string, cut: () => void): UnreadAnswer {
    const answer = new UnreadAnswer(this, sender, cut)
    this.#open.add(answer)
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#sweep(), Math.min(SWEEP, this.limits.stallTimeout))
      unref(this.#timer)
    }
    return answer
  }

  /** False when there is no room for what the answer holds more than before. It is counted all the same. */
  count(answer: UnreadAnswer, bytes: number): boolean {
    const more = bytes - answer.held
    const lacking = more > 0 ? this.#lacking(answer.sender, more) : undefined
    if (more > 0) this.#budget.add(answer.sender, more)
    else if (more < 0) this.#budget.give(answer.sender, -more)
    answer.held = bytes
    return lacking === undefined
  }

  close(answer: UnreadAnswer): void {
    if (this.#open.delete(answer)) this.count(answer, 0)
  }

  #sweep(): void {
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    const due = Date.now() - this.limits.stallTimeout
    for (const answer of this.#open.all()) if (answer.movedAt <= due) answer.cutOff()
  }
}

/** One answer that its reader has not taken yet. */
export class UnreadAnswer implements Live {
  place = -1
  held = 0
  movedAt: number = Date.now()
  readonly sender: string
  readonly #all: UnreadAnswers
  readonly #cut: () => void

  constructor(all: UnreadAnswers, sender: string, cut: () => void) {
    this.#all = all
    this.sender = sender
    this.#cut = cut
  }

  /** How much waits now. False when that is too much. */
  waits(bytes: number): boolean {
    return this.#all.count(this, bytes)
  }

  /** The reader has taken something, and so much is left. */
  moved(bytes: number): void {
    this.movedAt = Date.now()
    this.#all.count(this, bytes)
  }

  cutOff(): void {
    this.close()
    this.#cut()
  }

  /** Everything was taken, or the reader is gone. */
  close(): void {
    this.#all.close(this)
  }
}

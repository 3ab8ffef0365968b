/// <reference lib="esnext.disposable" preserve="true" />
import { type Duration, parseDuration } from '../protocol/index.ts'

interface Held {
  timer?: Timer
  at: number
  readonly delay: number
  readonly repeats: boolean
  run(): void
}

type Timer = ReturnType<typeof setTimeout>
type Start = (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) => Timer

/**
 * Time that a test can let pass without waiting: timers of the whole process, `Date.now` and `performance.now`. It runs
 * on by itself, too, so that nothing stands still. `restore()` gives the real time back.
 *
 * ```ts
 * using clock = new FakeClock()
 * await clock.advance('10m')
 * ```
 */
export class FakeClock implements Disposable {
  #ahead = 0
  readonly #held = new Map<Timer, Held>()
  readonly #real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    setInterval: globalThis.setInterval,
    clearInterval: globalThis.clearInterval,
    now: Date.now,
    elapsed: performance.now,
  }

  constructor() {
    const real = this.#real
    const stop = (timer?: unknown): void => {
      this.#held.delete(timer as Timer)
      real.clearTimeout(timer as Timer)
    }
    Object.assign(globalThis, {
      setTimeout: this.#starter(real.setTimeout as Start, false),
      setInterval: this.#starter(real.setInterval as unknown as Start, true),
      clearTimeout: stop,
      clearInterval: stop,
    })
    Date.now = () => Math.floor(real.now() + this.#ahead)
    performance.now = () => real.elapsed.call(performance) + this.#ahead
  }

  /** Lets time pass: what is due in it happens, in its order, and everything that follows from it. */
  async advance(duration: Duration): Promise<void> {
    const end = this.#now() + parseDuration(duration)
    await this.#turn()
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#ahead += Math.max(0, next.at - this.#now())
      if (next.repeats) next.at += Math.max(1, next.delay)
      else clearTimeout(next.timer)
      next.run()
      await this.#turn()
    }
    this.#ahead += Math.max(0, end - this.#now())
    await this.#turn()
  }

  restore(): void {
    const { now, elapsed, ...timers } = this.#real
    Object.assign(globalThis, timers)
    Date.now = now
    performance.now = elapsed
    this.#held.clear()
  }

  [Symbol.dispose](): void {
    this.restore()
  }

  /** The entry that is due first, until a time. */
  #nextUntil(end: number): Held | undefined {
    let first: Held | undefined
    for (const held of this.#held.values()) if (first ? held.at < first.at : held.at <= end) first = held
    return first
  }

  #now(): number {
    return this.#real.elapsed.call(performance) + this.#ahead
  }

  /** Timers are real ones that can also be fired early. What is due at once is left alone. */
  #starter(start: Start, repeats: boolean): Start {
    return (run, delay = 0, ...args) => {
      const held: Held = { at: this.#now() + delay, delay, repeats, run: () => run(...args) }
      const timer = start(() => {
        if (!repeats) this.#held.delete(timer)
        held.at = this.#now() + delay
        run(...args)
      }, delay)
      held.timer = timer
      if (delay > 0) this.#held.set(timer, held)
      this.#followRefresh(timer, held)
      return timer
    }
  }

  #followRefresh(timer: Timer, held: Held): void {
    const object = timer as { refresh?: () => Timer }
    const refresh = object.refresh?.bind(timer)
    if (!refresh) return
    object.refresh = () => {
      held.at = this.#now() + held.delay
      return refresh()
    }
  }

  /** Some turns of the real event loop: messages in memory take a few. */
  async #turn(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((done) => this.#real.setTimeout(done, 0))
  }
}

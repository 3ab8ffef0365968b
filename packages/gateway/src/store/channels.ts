import type { Driver, Heard } from './driver.ts'
import type { Listener } from './store.ts'

/** Who listens to which channel. The driver is asked to hear only while there is a listener. */
export class Channels {
  readonly #driver: Driver
  /** With the number of the last message before each of them came. */
  readonly #listeners = new Map<string, Map<Listener, number>>()
  #stop: Promise<() => void> | undefined

  constructor(driver: Driver) {
    this.#driver = driver
  }

  async subscribe(channel: string, listener: Listener): Promise<() => void> {
    const listeners = this.#listeners.get(channel) ?? new Map<Listener, number>()
    this.#listeners.set(channel, listeners.set(listener, Infinity))
    const leave = (): void => {
      if (!listeners.delete(listener) || listeners.size > 0) return
      this.#listeners.delete(channel)
      if (this.#listeners.size === 0) this.close()
    }
    try {
      this.#stop ??= this.#driver.watch((news) => this.#tell(news))
      await this.#stop
      const newest = await this.#driver.run('newest', undefined)
      if (listeners.has(listener)) listeners.set(listener, newest)
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  close(): void {
    this.#stop?.then((stop) => stop()).catch(() => {})
    this.#stop = undefined
  }

  #tell({ messages, missed }: Heard): void {
    for (const listeners of missed ? this.#listeners.values() : []) {
      for (const listener of listeners.keys()) listener.missed()
    }
    for (const { channel, text, number } of messages) {
      for (const [listener, newest] of this.#listeners.get(channel) ?? []) {
        if (number > newest) listener.message(text)
      }
    }
  }
}

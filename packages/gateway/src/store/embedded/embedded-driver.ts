import type { Driver, Hear, Heard } from '../driver.ts'
import type { Argument, OperationName, Result } from '../operations/index.ts'
import { storeThread, type ThreadClient, type Job } from './thread-client.ts'

const drivers = new Map<string, EmbeddedDriver>()

/** A file is opened once in this process, however many stores use it. */
export async function openEmbeddedDriver(path: string, maxBytes: number): Promise<Driver> {
  const driver = drivers.get(path) ?? new EmbeddedDriver(path, maxBytes)
  drivers.set(path, driver)
  return driver.open()
}

class EmbeddedDriver implements Driver {
  readonly kind = 'embedded'
  readonly #path: string
  readonly #maxBytes: number
  readonly #listeners = new Set<Hear>()
  #users = 0
  #thread: ThreadClient | undefined
  #opened: Promise<unknown> = Promise.resolve()

  constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
  }

  async open(): Promise<this> {
    this.#users += 1
    try {
      await this.#call()
      return this
    } catch (error) {
      await this.close()
      throw error
    }
  }

  async run<Name extends OperationName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    return (await this.#call({ do: 'run', name, argument })) as Result<Name>
  }

  async watch(hear: Hear): Promise<() => void> {
    this.#listeners.add(hear)
    if (this.#listeners.size === 1) await this.#call({ do: 'watch' })
    return () => {
      if (this.#listeners.delete(hear) && this.#listeners.size === 0)
        this.#call({ do: 'unwatch' }).catch(() => {})
    }
  }

  async close(): Promise<void> {
    this.#users -= 1
    if (this.#users > 0) return
    drivers.delete(this.#path)
    this.#listeners.clear()
    // Closing waits in the same line as operations, so that it comes after those that were asked before.
    await this.#call({ do: 'close' }).catch(() => {})
  }

  #tell(news: Heard): void {
    for (const hear of this.#listeners) hear(news)
  }

  /** A new thread that replaces an ended thread has to open the file first. */
  async #call(job?: Job): Promise<unknown> {
    if (!this.#thread || this.#thread.ended) {
      this.#thread = storeThread()
      this.#opened = this.#open(this.#thread)
    }
    await this.#opened
    return job && this.#thread.call(this.#path, job)
  }

  async #open(thread: ThreadClient): Promise<void> {
    thread.hear(this.#path, (news) => this.#tell(news))
    await thread.call(this.#path, { do: 'open', maxBytes: this.#maxBytes })
    if (this.#listeners.size === 0) return
    await thread.call(this.#path, { do: 'watch' })
    this.#tell({ messages: [], missed: true })
  }
}

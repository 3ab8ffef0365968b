import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readLines } from '../read-events.ts'
import { isRunning } from '../retention.ts'
import { listSegments, processOf, type Segment } from '../segments.ts'

/** Where a receiver stands in a chain: everything before was taken. */
interface Cursor {
  readonly segment: number
  readonly offset: number
  /** Nothing will follow. */
  readonly isDone?: boolean
}

export interface ShipperOptions {
  readonly folder: string
  /** The chain that this process writes. */
  readonly chain: string
  /** The name of the receiver, which is part of the names of its cursors. */
  readonly name: string
  /** Rejects when the events were not taken; they come again then. */
  send(events: readonly string[], signal: AbortSignal): Promise<void>
  /** Told when sending begins to fail, and when it works again. */
  onHealth?(error: Error | undefined): void
  /** Told how many files went before they were sent. */
  onLost?(files: number): void
}

const BATCH_EVENTS = 500
const BATCH_CHARACTERS = 1024 * 1024
const SHORTEST_WAIT = 500
const LONGEST_WAIT = 60_000
const IDLE = 30_000

/**
 * Sends the events of a trail to one receiver, in their order and at least once. Its queue is the trail itself: what
 * was not taken yet is sent later, also after a restart, as long as the files are kept.
 */
export class Shipper {
  readonly #options: ShipperOptions
  readonly #stop = new AbortController()
  /** Chains to send: the chain of this process, and the chains of processes that ended before everything was sent. */
  readonly #chains: string[]
  #wake: (() => void) | undefined
  #isAwake = true
  #wait = SHORTEST_WAIT
  #error: Error | undefined
  #running: Promise<void> | undefined
  #isClosing = false

  constructor(options: ShipperOptions) {
    this.#options = options
    this.#chains = [options.chain]
  }

  start(): void {
    this.#running = this.#run()
  }

  /** There is something new. */
  written(): void {
    this.#isAwake = true
    this.#wake?.()
  }

  /** Sends what is left, for a short while. */
  async close(): Promise<void> {
    const enough = setTimeout(() => this.#stop.abort(), this.#error ? 0 : 3000)
    this.#isAwake = true
    this.#isClosing = true
    this.#wake?.()
    await this.#running
    clearTimeout(enough)
  }

  async #run(): Promise<void> {
    await this.#save(this.#options.chain, { segment: 1, offset: 0 }).catch(() => {})
    await this.#adopt().catch(() => {})
    while (!this.#stop.signal.aborted) {
      this.#isAwake = false
      const isAll = await this.#sendAll()
      // What was written while it was sending is not sent yet.
      if (this.#isClosing && isAll && !this.#isAwake) return
      if (!this.#isAwake || !isAll) await this.#pause(isAll ? IDLE : this.#wait)
      if (isAll) await this.#adopt().catch(() => {})
    }
  }

  #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#stop
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      timer.unref()
      // New events do not shorten the time that a failing receiver is left alone.
      if (!this.#error || this.#isClosing) this.#wake = done
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }

  /** Whether everything was taken. */
  async #sendAll(): Promise<boolean> {
    for (const chain of [...this.#chains]) {
      try {
        await this.#sendChain(chain)
        if (this.#error) this.#options.onHealth?.(undefined)
        this.#error = undefined
        this.#wait = SHORTEST_WAIT
      } catch (thrown) {
        if (!this.#error && !this.#stop.signal.aborted) this.#options.onHealth?.(thrown as Error)
        this.#error = thrown as Error
        this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT)
        return false
      }
    }
    return true
  }

  async #sendChain(chain: string): Promise<void> {
    const all = (await listSegments(this.#options.folder)).filter((one) => one.chain === chain)
    let cursor = await this.#load(chain)
    const left = all.filter(({ number }) => number >= cursor.segment)
    for (const segment of left) {
      if (segment.number > cursor.segment) {
        // The file at the cursor was read to its end, if it is there.
        const isRead = all.some(({ number }) => number === cursor.segment)
        const skipped = segment.number - cursor.segment - (isRead ? 1 : 0)
        if (skipped > 0) this.#options.onLost?.(skipped)
        cursor = { segment: segment.number, offset: 0 }
      }
      cursor = await this.#sendSegment(segment, cursor)
    }
    if (chain === this.#options.chain) return
    this.#chains.splice(this.#chains.indexOf(chain), 1)
    await this.#save(chain, { ...cursor, isDone: true })
  }

  async #sendSegment(segment: Segment, start: Cursor): Promise<Cursor> {
    const { signal } = this.#stop
    let cursor = start
    let batch: string[] = []
    let characters = 0
    const send = async (): Promise<void> => {
      if (batch.length === 0) return
      signal.throwIfAborted()
      await this.#options.send(batch, signal)
      await this.#save(segment.chain, cursor)
      batch = []
      characters = 0
    }
    for await (const { text, end, isTorn } of readLines(segment.file, cursor.offset)) {
      // The rest of it may still be on its way.
      if (isTorn) break
      batch.push(text)
      characters += text.length
      cursor = { segment: segment.number, offset: end }
      if (batch.length >= BATCH_EVENTS || characters >= BATCH_CHARACTERS) await send()
    }
    await send()
    return cursor
  }

  /** Takes over chains whose processes have ended. Others that do the same find them taken. */
  async #adopt(): Promise<void> {
    const { folder, chain: own } = this.#options
    const chains = new Set((await listSegments(folder)).map(({ chain }) => chain))
    for (const chain of chains) {
      if (chain === own || this.#chains.includes(chain) || isRunning(processOf(chain))) continue
      const cursor = await this.#load(chain)
      if (cursor.segment === 0 || cursor.isDone || !(await this.#take(chain))) continue
      this.#chains.push(chain)
    }
  }

  /** When several processes take the same chain, one of them gets it. */
  async #take(chain: string): Promise<boolean> {
    const file = `${this.#file(chain)}.owner`
    const owner = Number(await readFile(file, 'utf8').catch(() => '0'))
    if (owner > 0 && owner !== process.pid && isRunning(owner)) return false
    if (owner > 0) await rm(file, { force: true })
    try {
      await writeFile(file, String(process.pid), { flag: 'wx', mode: 0o600 })
      return true
    } catch {
      return false
    }
  }

  /** `segment` is 0 for a chain from before the receiver was configured. */
  async #load(chain: string): Promise<Cursor> {
    try {
      return JSON.parse(await readFile(this.#file(chain), 'utf8')) as Cursor
    } catch {
      return { segment: 0, offset: 0 }
    }
  }

  async #save(chain: string, cursor: Cursor): Promise<void> {
    const file = this.#file(chain)
    await writeFile(`${file}.tmp`, JSON.stringify(cursor), { mode: 0o600 })
    await rename(`${file}.tmp`, file)
  }

  #file(chain: string): string {
    return join(this.#options.folder, `${chain}.${this.#options.name}.cursor`)
  }
}

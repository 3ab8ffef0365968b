import { Worker } from 'node:worker_threads'
import type { AuditModel } from '../../model/index.ts'
import type { PackedEvents } from '../packed-events.ts'
import type { ChainHead } from './hash-chain.ts'

export interface WriterSettings extends Pick<AuditModel, 'folder' | 'maxFileBytes' | 'sync'> {
  readonly chain: string
  /** The members of the metadata that all events have. */
  readonly about: string
  /** The private key. */
  readonly pem: string
}

export type ToThread = PackedEvents | 'close'

/** What became of events that were written. */
export interface Written {
  readonly head: ChainHead
  /** The file that they are in, when it is long enough and the next one begins. */
  readonly full: string | undefined
  /** The lines, where a reader wants them. */
  readonly lines: string | undefined
  /** The events are in the file, but it is not known whether they are on the disk. */
  readonly unsynced: Error | undefined
}

export type FromThread = { readonly result: Written | undefined } | { readonly error: Error }

interface Pending {
  resolve(result: Written | undefined): void
  reject(error: Error): void
}

/** A thread of one trail needs little memory: what it makes of a batch is garbage before the next one. */
const YOUNG_MEGABYTES = 8

/** The thread that makes lines of events, hashes them and writes them to the file. It does one thing after the other. */
export class WriterClient {
  readonly #worker: Worker
  readonly #pending: Pending[] = []
  #ended: Error | undefined

  constructor(settings: WriterSettings) {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MEGABYTES }
    this.#worker = new Worker(threadFile(), { workerData: settings, resourceLimits })
    // Repeated when the thread runs: its start would keep the process alive again.
    this.#worker.unref()
    this.#worker.on('online', () => {
      if (this.#pending.length === 0) this.#worker.unref()
    })
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end())
  }

  /** Rejects when the events could not be written. None of them is in the file then. */
  async write(events: PackedEvents): Promise<Written> {
    return (await this.#ask(events))!
  }

  /** Closes the file, and ends the thread. */
  async close(): Promise<void> {
    await this.#ask('close').finally(() => this.#worker.terminate())
  }

  #ask(message: ToThread): Promise<Written | undefined> {
    if (this.#ended) return Promise.reject(this.#ended)
    return new Promise((resolve, reject) => {
      this.#worker.postMessage(message, message === 'close' ? [] : [message.numbers.buffer as ArrayBuffer])
      // The process stays as long as there is something to wait for.
      if (this.#pending.push({ resolve, reject }) === 1) this.#worker.ref()
    })
  }

  #receive(message: FromThread): void {
    const pending = this.#pending.shift()
    if (this.#pending.length === 0) this.#worker.unref()
    if ('error' in message) pending?.reject(message.error)
    else pending?.resolve(message.result)
  }

  #end(cause?: Error): void {
    const why = cause ? `: ${cause.message}` : ''
    this.#ended ??= new Error(`the thread that writes ended${why}; restart the gateway`, { cause })
    for (const { reject } of this.#pending.splice(0)) reject(this.#ended)
  }
}

/** The file beside this one: TypeScript in tests, JavaScript after the build. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  return isSource
    ? new URL('./writer-thread.ts', import.meta.url)
    : new URL('./writer-thread.js', import.meta.url)
}

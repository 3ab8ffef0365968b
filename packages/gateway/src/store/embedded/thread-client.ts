import { Worker } from 'node:worker_threads'
import type { Hear, Heard } from '../driver.ts'
import { StoreError, type StoreErrorCode } from '../store-error.ts'
import type { OperationName } from '../operations/index.ts'

interface Pending {
  resolve(result: unknown): void
  reject(error: Error): void
}

/**
 * The thread that has the files open, one for all stores of this process. A commit waits for the disk, and must not
 * stop everything else meanwhile; what a commit throws is an exception there, while the asynchronous interface of the
 * library leaves rejections that cannot be handled (docs/adr/0018).
 */
class ThreadClient {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Map<string, Hear>()
  #next = 1
  ended: StoreError | undefined

  constructor() {
    this.#worker = new Worker(threadFile())
    // Repeated when the thread runs: its start would keep the process alive again.
    this.#worker.unref()
    this.#worker.on('online', () => {
      if (this.#pending.size === 0) this.#worker.unref()
    })
    this.#worker.on('message', (reply: Reply) => this.#receive(reply))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end())
  }

  call(path: string, job: Job): Promise<unknown> {
    if (this.ended) return Promise.reject(this.ended)
    return new Promise((resolve, reject) => {
      const id = this.#next++
      // The process stays as long as there is something to wait for.
      if (this.#pending.size === 0) this.#worker.ref()
      this.#pending.set(id, { resolve, reject })
      this.#worker.postMessage({ ...job, id, path })
    })
  }

  hear(path: string, hear: Hear | undefined): void {
    if (hear) this.#listeners.set(path, hear)
    else this.#listeners.delete(path)
  }

  #receive(reply: Reply): void {
    if ('news' in reply) {
      this.#listeners.get(reply.path)?.(reply.news)
      return
    }
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#worker.unref()
    if ('error' in reply) pending?.reject(new StoreError(reply.error.code, reply.error.message))
    else pending?.resolve(reply.result)
  }

  #end(cause?: Error): void {
    this.ended ??= new StoreError(
      'failed',
      `The thread of the store ended${cause ? `: ${cause.message}` : ''}`,
      { cause },
    )
    for (const { reject } of this.#pending.values()) reject(this.ended)
    this.#pending.clear()
  }
}

let shared: ThreadClient | undefined

/** A thread that ended is followed by another. */
export function storeThread(): ThreadClient {
  if (!shared || shared.ended) shared = new ThreadClient()
  return shared
}

export type { ThreadClient }

/** The file beside this one: TypeScript in tests, JavaScript after the build. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  return isSource ? new URL('./thread.ts', import.meta.url) : new URL('./thread.js', import.meta.url)
}

export type Job =
  | { readonly do: 'open'; readonly maxBytes: number }
  | { readonly do: 'run'; readonly name: OperationName; readonly argument: unknown }
  | { readonly do: 'watch' | 'unwatch' | 'close' }

export type Request = Job & { readonly id: number; readonly path: string }

/** Every request gets an answer; news comes by itself. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly code: StoreErrorCode; readonly message: string } }
  | { readonly path: string; readonly news: Heard }

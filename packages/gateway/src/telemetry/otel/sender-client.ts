import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { MeasuredDurations } from './metric-sender.ts'
import type { SpanRecord } from './span-record.ts'

/** Where a signal goes. Without an address the packages read the standard variables themselves. */
export interface Destination {
  readonly url?: string
  readonly headers?: Record<string, string>
}

export interface ThreadSettings {
  readonly version: string
  /** Undefined: not sent. */
  readonly traces: Destination | undefined
  readonly metrics: { readonly destination: Destination; readonly interval: number } | undefined
}

export type ToThread =
  | { readonly spans: readonly SpanRecord[] }
  | { readonly durations: MeasuredDurations }
  | { readonly close: true }

export type FromThread =
  | { readonly taken: number }
  | { readonly asks: 'durations' }
  | { readonly failed: string }
  | { readonly closed: true }

export interface SenderOptions {
  readonly settings: ThreadSettings
  readonly durations: () => MeasuredDurations
  readonly onError: (message: string) => void
}

/** Spans that the thread has not taken yet. Further ones are dropped. */
const MOST_UNDER_WAY = 10_000
/** How long what is left may take to be sent, in milliseconds. */
const LONGEST_CLOSE = 3000

/**
 * The thread that sends by OTLP. OpenTelemetry's packages send by `node:http` and its streams. In the thread of the
 * calls that would make the same functions of Node, by which every call passes, slower for good: V8 has them compiled for
 * the kinds of objects that they meet.
 */
export class SenderClient {
  readonly #options: SenderOptions
  readonly #worker: Worker
  #spans: SpanRecord[] = []
  #underWay = 0
  #hasEnded = false
  #closed: (() => void) | undefined

  constructor(options: SenderOptions) {
    this.#options = options
    this.#worker = new Worker(threadFile(), { workerData: options.settings })
    // It is no reason for the process to stay.
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => this.#receive(message))
    this.#worker.on('error', (error) => this.#end(error))
    this.#worker.on('exit', () => this.#end())
  }

  /** Those of one turn of the event loop go together. */
  send(span: SpanRecord): void {
    if (this.#hasEnded || this.#underWay >= MOST_UNDER_WAY) return
    this.#underWay++
    if (this.#spans.push(span) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    if (this.#spans.length === 0) return
    this.#post({ spans: this.#spans })
    this.#spans = []
  }

  #post(message: ToThread): void {
    if (!this.#hasEnded) this.#worker.postMessage(message)
  }

  #receive(message: FromThread): void {
    if ('taken' in message) this.#underWay -= message.taken
    else if ('asks' in message) this.#post({ durations: this.#options.durations() })
    else if ('failed' in message) this.#options.onError(message.failed)
    else this.#closed?.()
  }

  #end(error?: Error): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#closed?.()
    if (error) this.#options.onError(error.message)
  }

  /** Sends what is left. What stops behind this does not wait for a collector that is away or does not answer. */
  async close(): Promise<void> {
    if (this.#hasEnded) return
    this.#flush()
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve
    })
    const late = new AbortController()
    this.#worker.ref()
    this.#post({ close: true })
    await Promise.race([closed, setTimeout(LONGEST_CLOSE, undefined, late).catch(() => {})])
    late.abort()
    this.#hasEnded = true
    await this.#worker.terminate()
  }
}

/** The file beside this one: TypeScript in tests, JavaScript after the build. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  return isSource
    ? new URL('./sender-thread.ts', import.meta.url)
    : new URL('./sender-thread.js', import.meta.url)
}

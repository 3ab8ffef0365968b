import type { Arrivals } from '@gantry/mcp/client'
import { abortReason, callerOf, createResponse, type QuickInit } from '@gantry/mcp/client/node'
import type { Cancellation } from '@gantry/mcp/exchange'
import type { Dispatcher } from 'undici'
import { PooledBody } from './pooled-body.ts'

type Head = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

export interface PooledAnswerOptions {
  readonly url: string
  readonly init: QuickInit
  readonly arrivals: Arrivals
  resolve(response: Response): void
  reject(error: Error): void
}

/** Makes a `Response` of what undici tells about a request, and ends the request when its caller does. */
export class PooledAnswer implements Dispatcher.DispatchHandler {
  readonly #options: PooledAnswerOptions
  readonly #caller: Cancellation
  #controller: Dispatcher.DispatchController | undefined
  #body: PooledBody | undefined

  constructor(options: PooledAnswerOptions) {
    this.#options = options
    this.#caller = callerOf(options.init)
    if (this.#caller.aborted) throw abortReason(this.#caller)
    this.#caller.onAbort(this.#abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#caller.aborted) this.#abort()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Head): void {
    // What comes before the real answer (103, for instance) says nothing about it.
    if (status >= 100 && status < 200) return
    const { url, arrivals, resolve } = this.#options
    const body = new PooledBody(controller, {
      arrivals,
      origin: this.#caller.origin,
      announced: lengthIn(headers),
      mayWait: isKeptAlive(headers),
    })
    try {
      resolve(createResponse({ status, headers, url }, body))
      this.#body = body
    } catch (error) {
      this.#options.reject(error as Error)
      controller.abort(error as Error)
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#caller.offAbort(this.#abort)
    this.#body?.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#caller.offAbort(this.#abort)
    this.#options.reject(error)
    this.#body?.fail(error)
  }

  /** A request that waits for a connection is rejected at once and ends when it gets one. */
  readonly #abort = (): void => {
    const reason = abortReason(this.#caller)
    this.#controller?.abort(reason)
    this.#options.reject(reason)
  }
}

/** How long the body is; undefined when the head does not say. */
function lengthIn(headers: Head): number | undefined {
  const length = Number(headers['content-length'])
  return Number.isSafeInteger(length) ? length : undefined
}

/** undici fails when a connection ends that is paused and was to end with its answer: such a one is not kept waiting. */
function isKeptAlive(headers: Head): boolean {
  const hasEnd = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return hasEnd && !/\bclose\b/i.test(String(headers.connection))
}

import { abortReason, callerOf, createResponse, type QuickInit } from '@gantry/mcp/client/node'
import type { Cancellation } from '@gantry/mcp/exchange'
import type { Dispatcher } from 'undici'
import { PooledBody } from './pooled-body.ts'

type Head = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/** Makes a `Response` of what undici tells about a request, and ends the request when its caller does. */
export class PooledAnswer implements Dispatcher.DispatchHandler {
  readonly #url: string
  readonly #caller: Cancellation
  readonly #resolve: (response: Response) => void
  readonly #reject: (error: Error) => void
  #controller: Dispatcher.DispatchController | undefined
  #body: PooledBody | undefined

  constructor(
    url: string,
    init: QuickInit,
    resolve: (response: Response) => void,
    reject: (error: Error) => void,
  ) {
    this.#url = url
    this.#caller = callerOf(init)
    this.#resolve = resolve
    this.#reject = reject
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
    const body = new PooledBody(controller)
    try {
      this.#resolve(createResponse({ status, headers, url: this.#url }, body))
      this.#body = body
    } catch (error) {
      this.#reject(error as Error)
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
    this.#reject(error)
    this.#body?.fail(error)
  }

  /** A request that waits for a connection is rejected at once and ends when it gets one. */
  readonly #abort = (): void => {
    const reason = abortReason(this.#caller)
    this.#controller?.abort(reason)
    this.#reject(reason)
  }
}

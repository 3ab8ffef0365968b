import type { ArrivalReader, Arrivals } from '@gantry/mcp/client'
import {
  ArrivingMessage,
  decodeBody,
  SHORT_MESSAGE,
  type ResponseBody,
  abortReason,
  callerOf,
  createResponse,
  type QuickInit,
} from '@gantry/mcp/client/node'
import type { Dispatcher } from 'undici'
import type { Cancellation } from '@gantry/mcp/exchange'

/** Bytes that may wait for a reader before the connection is paused. */
const MAX_HELD_BYTES = 256 * 1024
/** After so many bytes other work gets a turn: a server that never stops would keep all others waiting. */
const TURN_BYTES = 32 * 1024

export interface PooledBodyOptions {
  /** Gives it room when it is long. */
  readonly arrivals: Arrivals
  /** The exchange that it answers, where it is known. */
  readonly origin?: object | undefined
  /** How long it will be, if that is known. */
  readonly announced: number | undefined
  /** Whether the connection may be kept waiting for long. */
  readonly mayWait: boolean
}

/** The body of an answer: kept until it is read, as a text or piece by piece. */
export class PooledBody implements ResponseBody, ArrivalReader {
  readonly #connection: Dispatcher.DispatchController
  #held: Buffer[] = []
  #heldBytes = 0
  #sinceTurn = 0
  #isTheirTurn = false
  #ended = false
  #error: Error | undefined
  #whole: { readonly limit: number; resolve(): void; reject(error: Error): void } | undefined
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #options: PooledBodyOptions
  /** A long body that is read as a whole is read as there is room for it. */
  readonly #message: ArrivingMessage
  #waitsForRoom = false

  constructor(connection: Dispatcher.DispatchController, options: PooledBodyOptions) {
    this.#connection = connection
    this.#options = options
    this.#message = this.arriving(this)
  }

  arriving(reader: ArrivalReader): ArrivingMessage {
    return new ArrivingMessage(this.#options.arrivals, reader, this.#options.origin)
  }

  go(): void {
    this.#waitsForRoom = false
    this.#resume()
  }

  stalled(error: Error): void {
    this.#connection.abort(error)
  }

  push(chunk: Buffer): void {
    // A connection that goes on after a pause begins with nothing.
    if (chunk.length === 0) return
    if (this.#stream) this.#stream.enqueue(chunk)
    else if (!this.#hold(chunk)) return
    this.#wantRoom()
    if (this.#isFull) this.#connection.pause()
    else this.#takeTurns(chunk.length)
  }

  end(): void {
    this.#ended = true
    this.#whole?.resolve()
    this.#stream?.close()
    this.#stream = undefined
  }

  fail(error: Error): void {
    this.#error = error
    this.#message.end()
    this.#whole?.reject(error)
    this.#stream?.error(error)
    this.#stream = undefined
  }

  textWithin(limit: number): Promise<string | undefined> {
    return this.piecesWithin(limit).then((pieces) => pieces && decodeBody(pieces))
  }

  piecesWithin(limit: number): Promise<readonly Buffer[] | undefined> {
    const take = (): Buffer[] | undefined => {
      this.#message.end()
      return this.#heldBytes > limit ? undefined : this.#held.splice(0)
    }
    return this.#ended ? Promise.resolve(take()) : this.#untilEnd(limit).then(take)
  }

  #untilEnd(limit: number): Promise<void> {
    if (this.#error) return Promise.reject(this.#error)
    return new Promise((resolve, reject) => {
      this.#whole = { limit, resolve, reject }
      if (!this.#isWithinLimit()) return
      this.#wantRoom()
      this.#resume()
    })
  }

  #wantRoom(): void {
    if (!this.#whole || this.#ended || this.#heldBytes <= SHORT_MESSAGE) return
    const { announced = 0, mayWait } = this.#options
    const length = Math.max(this.#heldBytes, Math.min(announced, this.#whole.limit))
    const goesOn = this.#message.has(this.#heldBytes, length)
    this.#waitsForRoom = mayWait && !goesOn
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          for (const chunk of this.#held.splice(0)) controller.enqueue(chunk)
          if (this.#error) controller.error(this.#error)
          else if (this.#ended) controller.close()
          else this.#stream = controller
        },
        pull: () => this.#resume(),
        cancel: () => {
          this.#stream = undefined
          if (!this.#ended) this.#connection.abort(new Error('nobody reads the answer'))
        },
      },
      // A few chunks may wait, so that the connection is not stopped and started for each of them.
      { highWaterMark: 4 },
    )
  }

  #hold(chunk: Buffer): boolean {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    return this.#isWithinLimit()
  }

  /** False when it is too much for the reader: then nothing more is read. */
  #isWithinLimit(): boolean {
    if (this.#whole === undefined || this.#heldBytes <= this.#whole.limit) return true
    this.#held = []
    this.#whole.resolve()
    this.#connection.abort(new Error('the answer is too large'))
    return false
  }

  get #isFull(): boolean {
    if (this.#stream) return (this.#stream.desiredSize ?? 0) <= 0
    return this.#waitsForRoom || (this.#whole === undefined && this.#heldBytes > MAX_HELD_BYTES)
  }

  #takeTurns(bytes: number): void {
    this.#sinceTurn += bytes
    if (this.#sinceTurn < TURN_BYTES) return
    this.#sinceTurn = 0
    this.#isTheirTurn = true
    this.#connection.pause()
    setImmediate(() => {
      this.#isTheirTurn = false
      if (!this.#isFull) this.#resume()
    })
  }

  #resume(): void {
    if (this.#connection.paused && !this.#isTheirTurn && !this.#waitsForRoom) this.#connection.resume()
  }
}

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
    // An interim answer (103, for instance) says nothing about the real answer.
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

/**
 * undici fails when a paused connection ends whose answer lasts until the end of the connection. Such a connection is
 * not paused.
 */
function isKeptAlive(headers: Head): boolean {
  const hasEnd = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return hasEnd && !/\bclose\b/i.test(String(headers.connection))
}

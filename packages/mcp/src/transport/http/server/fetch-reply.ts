import type { RefusedForLoad } from '../../../exchange/server/refused-for-load.ts'
import type { EventSink, HttpReply } from './reply.ts'
import { PacedStream } from './paced-stream.ts'
import { SMALL_ANSWER, type UnreadAnswers } from '../../unread-answers.ts'

/** A reader of a stream that is this far behind is cut off: memory is worth more than its stream. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

export class FetchReply implements HttpReply {
  readonly #request: Request
  readonly #resolve: (response: Response) => void
  readonly #unread: UnreadAnswers
  readonly #listeners: (() => void)[] = []
  #sender = ''

  constructor(request: Request, unread: UnreadAnswers, resolve: (response: Response) => void) {
    this.#request = request
    this.#unread = unread
    this.#resolve = resolve
  }

  countFor(sender: string): void {
    this.#sender = sender
  }

  refusesToHold(bytes: number): RefusedForLoad | undefined {
    return this.#unread.refusal(this.#sender, bytes)
  }

  json(status: number, body: string, headers?: Record<string, string>): void {
    const init = { status, headers: { 'content-type': 'application/json', ...headers } }
    if (body.length <= SMALL_ANSWER) return this.#answer(new Response(body, init))
    const stream = this.#paced()
    stream.write(body)
    stream.end()
    this.#answer(new Response(stream.body, init))
  }

  empty(status: number, headers?: Record<string, string>): void {
    this.#answer(new Response(null, headers ? { status, headers } : { status }))
  }

  stream(headers?: Record<string, string>): EventSink {
    const stream = this.#paced()
    this.#answer(new Response(stream.body, headers ? { status: 200, headers } : { status: 200 }))
    return {
      write(frame) {
        // What was there before counts: one large message to a quick reader is fine.
        if (stream.open && stream.waiting > MAX_BUFFERED_BYTES) stream.cutOff()
        return stream.write(frame)
      },
      end: () => stream.end(),
    }
  }

  onAbort(listener: () => void): void {
    this.#listeners.push(listener)
    this.#request.signal.addEventListener('abort', listener, { once: true })
  }

  #paced(): PacedStream {
    const stream = new PacedStream(this.#unread, this.#sender, () => {
      for (const listener of this.#listeners) listener()
    })
    this.#request.signal.addEventListener('abort', () => stream.gone(), { once: true })
    return stream
  }

  /** A body that was not read is not wanted any more. */
  #answer(response: Response): void {
    if (!this.#request.bodyUsed) this.#request.body?.cancel().catch(() => {})
    this.#resolve(response)
  }
}

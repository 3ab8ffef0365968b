import type { LateJson } from '../../../jsonrpc/index.ts'
import { type EventSink, type HttpReply, toEvent } from './reply.ts'

/** An answer that is read while it is sent, no faster than the client takes it. */
export class LateBody {
  readonly #message: LateJson
  #wake: () => void = () => {}

  constructor(message: LateJson, reply: HttpReply) {
    this.#message = message
    reply.onAbort(() => this.close())
  }

  /** Returns what to answer instead when its beginning cannot be read. */
  open(): Promise<string | undefined> {
    return this.#message.open()
  }

  close(): void {
    this.#message.close()
    this.#wake()
  }

  /** Resolves when everything was written, or when the reader is gone. */
  async send(sink: EventSink, isEvent: boolean): Promise<void> {
    const message = this.#message
    sink.onDrain = () => this.#wake()
    try {
      if (isEvent) sink.write('data: ')
      for (let slice = await message.next(); slice !== undefined; slice = await message.next()) {
        if (!sink.write(slice)) await this.#drained()
      }
      if (isEvent) sink.write('\n\n')
    } catch (thrown) {
      const problem = message.failed(thrown)
      if (!isEvent) return sink.breakOff()
      // Half of a message cannot be taken back. Clients skip an event that is not JSON, and take the error behind it.
      sink.write(`\n\n${toEvent(problem)}`)
    }
    sink.end()
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

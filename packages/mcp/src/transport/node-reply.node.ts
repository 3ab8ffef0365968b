import type { ServerResponse } from 'node:http'
import { LONG_TEXT } from '../jsonrpc/index.ts'
import { giveBackWhenSent } from './give-back.node.ts'
import type { EventSink, HttpReply } from './http-reply.ts'

/** A reader that is this far behind is cut off: memory is worth more than its stream. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

/** Answers on a native `node:http` response; no Web streams are involved. */
export class NodeReply implements HttpReply {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  json(status: number, body: string, headers?: Record<string, string>): void {
    const response = this.#response
    if (response.destroyed || response.headersSent) return
    // Node puts a text behind the head, and copies it twice for that; bytes it sends as they are.
    const data = body.length < LONG_TEXT ? body : Buffer.from(body)
    const length = Buffer.byteLength(data)
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': length,
      ...headers,
    })
    // All at once and by itself: `end` with a text writes an empty one behind it, which costs a tenth of a request.
    response.cork()
    // As many bytes as characters: it is ASCII, which needs no encoding.
    response.write(data, length === body.length ? 'latin1' : 'utf8')
    response.uncork()
    response.end()
  }

  bytes(status: number, pieces: readonly Uint8Array[], headers?: Record<string, string>): void {
    const response = this.#response
    if (response.destroyed || response.headersSent) return
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': pieces.reduce((sum, piece) => sum + piece.length, 0),
      ...headers,
    })
    giveBackWhenSent(response, pieces)
    for (const piece of pieces) response.write(piece)
    response.end()
  }

  empty(status: number, headers?: Record<string, string>): void {
    if (this.#response.destroyed || this.#response.headersSent) return
    // 204 has no body and must not announce one.
    this.#response.writeHead(status, status === 204 ? { ...headers } : { 'content-length': 0, ...headers })
    this.#response.end()
  }

  stream(headers?: Record<string, string>): EventSink {
    const response = this.#response
    if (!response.destroyed && !response.headersSent) {
      response.writeHead(200, headers)
      response.flushHeaders()
    }
    return {
      write(frame) {
        if (response.destroyed || response.writableEnded) return true
        // What was there before counts: one large message to a quick reader is fine.
        if (response.writableLength > MAX_BUFFERED_BYTES) {
          response.destroy()
          return true
        }
        return response.write(frame)
      },
      end() {
        if (!response.writableEnded) response.end()
      },
    }
  }

  onAbort(listener: () => void): void {
    const response = this.#response
    response.once('close', () => {
      if (!response.writableFinished) listener()
    })
  }
}

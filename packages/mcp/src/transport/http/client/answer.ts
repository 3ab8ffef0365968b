import type { IncomingMessage } from '../../../exchange/index.ts'
import {
  type JsonRpcRequest,
  type JsonRpcResponse,
  type McpError,
  type ParsedMessage,
  type ReadJson,
  readResult,
} from '../../../jsonrpc/index.ts'
import { badResponse, headOf } from './errors.ts'
import { forEachMessage, unreadable } from './messages.ts'

export interface AnswerOptions {
  url: string
  read: ReadJson
  request: JsonRpcRequest
  onAnswer: (response: JsonRpcResponse) => void
  /** Gets notifications and requests of the server, also those that come after the answer. */
  onMessage: (message: IncomingMessage) => void
  report: (describe: () => McpError) => void
}

/** Sorts what comes back for one request: its answer, messages on the way, and what makes no sense. */
export class AnswerReader {
  readonly #options: AnswerOptions
  #answered = false

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  get answered(): boolean {
    return this.#answered
  }

  /** Throws when the answer itself is malformed: there will be no other. */
  read(text: string): void {
    const result = readResult(text, this.#options.read)
    if (result) return this.accept(result)
    forEachMessage(text, this.#options.read, (parsed) => this.#accept(parsed, text))
  }

  #accept(parsed: ParsedMessage, text: string): void {
    const { url, request, report, onMessage } = this.#options
    if (parsed.kind === 'response') {
      this.accept(parsed.message)
    } else if (parsed.kind !== 'invalid') {
      onMessage(parsed.message)
    } else if (parsed.isResponse && parsed.reply.id === request.id && !this.#answered) {
      const why = parsed.reply.error.message
      throw badResponse(url, `answered ${request.method} with a malformed response (${why})`, {
        body: headOf(text),
      })
    } else {
      report(() => unreadable(url, text, parsed.reply.error.message))
    }
  }

  accept(response: JsonRpcResponse): void {
    const { url, request, report, onAnswer } = this.#options
    // An error without an id is about this request: nothing else was sent on this connection.
    if (response.id !== request.id && response.id !== null) {
      report(() => badResponse(url, `answered a request with the unknown id ${JSON.stringify(response.id)}`))
    } else if (this.#answered) {
      report(() => badResponse(url, `answered ${request.method} twice`))
    } else {
      this.#answered = true
      onAnswer(response)
    }
  }
}

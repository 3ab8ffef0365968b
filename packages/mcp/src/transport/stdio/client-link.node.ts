import type { IncomingMessage, WireRequestOptions } from '../../exchange/index.ts'
import { callerOf } from '../../exchange/plain-exchange.ts'
import {
  classifyMessage,
  INVALID_REQUEST,
  isJsonObject,
  isNoise,
  isRequestId,
  jsonReader,
  McpError,
  PARSE_ERROR,
  rawResultId,
  readRawResult,
  readResult,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type NumberMode,
  type ReadJson,
  type RequestId,
  toJsonText,
  RefusedJson,
} from '../../jsonrpc/index.ts'
import { cutText } from '../../protocol/index.ts'
import { type LineSink, LineSplitter } from './lines.node.ts'
import { ReportLimit } from '../reports.ts'
import { ResponseIdScan } from './client-id-scan.ts'
import { PendingRequests } from '../../exchange/pending-requests.ts'

/** How much of a line that cannot be understood is shown in the report about it. */
const EXCERPT_LENGTH = 200

/** Reports in a second about lines that are no use to anyone; the next one says how many were left out. */
const MAX_REPORTS = 100

export interface LinkOptions {
  sink: LineSink
  key: string
  maxLineBytes: number
  numbers?: NumberMode | undefined
  /** Joined to the details of every error: what the server last wrote to stderr, for instance. */
  facts(): Record<string, unknown>
  /** What a server sent that is no use to anyone: noise, answers to nothing, lines over the limit. */
  onProtocolError?: ((error: McpError) => void) | undefined
}

/** JSON-RPC over lines: matches responses to requests, passes the rest on, reports faults. */
export class LineLink {
  onMessage: ((message: IncomingMessage) => void) | undefined
  onLateAnswer: ((id: RequestId) => void) | undefined
  readonly #options: LinkOptions
  readonly #read: ReadJson
  readonly #splitter: LineSplitter
  readonly #pending: PendingRequests
  readonly #limit = new ReportLimit(MAX_REPORTS)
  #oversize: { scan: ResponseIdScan; bytes: number } | undefined
  #ended: (() => McpError) | undefined
  /** Sends that failed: the stream broke, and why (an exit code, for instance) is known when the link ends. */
  #unsent: ((error: McpError) => void)[] = []
  /** The request that was the last thing written, if it was a request. */
  #lastWritten: RequestId | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.#read = jsonReader(options.numbers)
    this.#pending = new PendingRequests(options.facts)
    this.#splitter = new LineSplitter(
      {
        onLine: (line) => this.#receive(line),
        onPieces: (pieces) => this.#receivePieces(pieces),
        onOversize: (piece, end) => this.#receiveOversize(piece, end),
      },
      options.maxLineBytes,
    )
  }

  /** Bytes of the message that has not ended yet. */
  get held(): number {
    return this.#splitter.held
  }

  push(chunk: Uint8Array): boolean {
    return this.#ended === undefined && this.#splitter.push(chunk)
  }

  /** The server will send nothing more; a complete message without a newline still counts. */
  drain(): void {
    if (this.#ended === undefined) this.#splitter.end()
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw this.#ended()
      const { id } = message
      const caller = callerOf(options)
      this.#pending.check(id, caller)
      this.#options.sink.write(toJsonText(message))
      this.#lastWritten = id
      this.#pending.add(id, resolve, reject, caller, options.takesBytes === true)
    })
  }

  send(message: JsonRpcMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw this.#ended()
      this.#options.sink.write(toJsonText(message), (error) => {
        if (error === undefined) resolve()
        else if (this.#ended !== undefined) reject(this.#ended())
        else this.#unsent.push(reject)
      })
      this.#lastWritten = undefined
    })
  }

  /** Fails what is pending, and from now on everything that is asked. Only the first reason counts. */
  end(reason: () => McpError): void {
    if (this.#ended !== undefined) return
    this.#ended = reason
    this.#pending.failAll(reason)
    for (const reject of this.#unsent.splice(0)) reject(reason())
  }

  /** A long result for somebody who passes it on. */
  #receivePieces(pieces: readonly Uint8Array[]): boolean {
    const id = rawResultId(pieces)
    if (this.#ended !== undefined || id === undefined || !this.#pending.takesBytes(id)) return false
    const raw = readRawResult(pieces, this.#read)
    if (raw) this.#answer(raw, '')
    return raw !== undefined
  }

  #receive(line: string): void {
    // A handler may end the link in the middle of a chunk.
    if (this.#ended !== undefined || line.length === 0) return
    const result = readResult(line, this.#read)
    if (result) return this.#answer(result, line)
    if (isNoise(line)) {
      this.#report('parse_failed', 'wrote a line that is not JSON', line)
      return
    }
    let value: unknown
    try {
      value = this.#read(line)
    } catch (cause) {
      if (cause instanceof RefusedJson) this.#refuse(cause, line)
      else if (line.trim() !== '') this.#report('parse_failed', 'wrote a line that is not JSON', line, cause)
      return
    }
    // 2025-03-26 (basic, Batching) obliges a receiver to take batches; other revisions never send them.
    if (Array.isArray(value)) for (const item of value) this.#dispatch(item, line)
    else this.#dispatch(value, line)
  }

  #dispatch(value: unknown, line: string): void {
    const parsed = classifyMessage(value)
    switch (parsed.kind) {
      case 'response':
        this.#answer(parsed.message, line)
        break
      case 'invalid':
        this.#reject(value, parsed.reply.error.message, line)
        break
      default:
        this.#deliver(parsed.message, line)
    }
  }

  #deliver(message: IncomingMessage, line: string): void {
    try {
      this.onMessage?.(message)
    } catch (thrown) {
      this.#report('bad_response', 'sent a message whose handler threw', line, thrown)
    }
  }

  #answer(message: JsonRpcResponse, line: string): void {
    const id = message.id ?? this.#idOfUnreadable(message)
    if (id === undefined) {
      this.#report('bad_response', 'answered without an id', line)
      return
    }
    const found = this.#pending.resolve(id, message)
    if (found === 'late') this.onLateAnswer?.(id)
    else if (found === 'unknown') {
      this.#report('bad_response', `answered ${JSON.stringify(id)}, which is not pending`, line)
    }
  }

  /** A null id belongs to our request only if it is the sole one pending and was written last. */
  #idOfUnreadable(message: JsonRpcResponse): RequestId | undefined {
    if (!('error' in message) || this.#pending.size !== 1) return undefined
    const { code } = message.error
    if (code !== PARSE_ERROR && code !== INVALID_REQUEST) return undefined
    const id = this.#lastWritten
    return id !== undefined && this.#pending.has(id) ? id : undefined
  }

  /** Something that is not JSON-RPC. When it bears the id of a request, that request need not wait longer. */
  #reject(value: unknown, why: string, line: string): void {
    if (isJsonObject(value) && value.method === undefined && isRequestId(value.id)) {
      const error = this.#error('bad_response', `answered with something that is not JSON-RPC (${why})`, line)
      if (this.#pending.reject(value.id, error)) return
    }
    this.#report('bad_response', `wrote a line that is not JSON-RPC (${why})`, line)
  }

  #refuse({ heads, message }: RefusedJson, line: string): void {
    const what = `sent a message that is not read: ${message}`
    for (const { id, isResponse } of heads) {
      if (isResponse && id !== null) this.#pending.reject(id, this.#error('bad_response', what, line))
    }
    this.#report('bad_response', what, line)
  }

  /** The line is dropped, the request it answers fails, and the link goes on with the next line. */
  #receiveOversize(piece: Uint8Array, end: boolean): void {
    this.#oversize ??= { scan: new ResponseIdScan(), bytes: 0 }
    const { scan } = this.#oversize
    this.#oversize.bytes += piece.length
    scan.push(piece)
    if (!end) return
    const { bytes } = this.#oversize
    this.#oversize = undefined
    const { key, maxLineBytes } = this.#options
    const error = new McpError(
      'too_large',
      `${key} sent a message of ${bytes} bytes; the limit is ${maxLineBytes}. Raise maxLineBytes to accept it.`,
      { details: { ...this.#options.facts(), bytes, maxLineBytes } },
    )
    const id = scan.responseId()
    if (id !== undefined) this.#pending.reject(id, error)
    this.#tell(error)
  }

  #report(code: 'parse_failed' | 'bad_response', what: string, line: string, cause?: unknown): void {
    if (this.#options.onProtocolError === undefined) return
    const suppressed = this.#limit.take()
    if (suppressed === undefined) return
    this.#tell(this.#error(code, what, line, { cause, more: suppressed > 0 ? { suppressed } : {} }))
  }

  #error(
    code: 'parse_failed' | 'bad_response',
    what: string,
    line: string,
    { cause, more }: { cause?: unknown; more?: Record<string, unknown> } = {},
  ): McpError {
    const excerpt = cutText(line, EXCERPT_LENGTH)
    const { key, facts } = this.#options
    const details = { ...facts(), ...more, line: excerpt }
    return new McpError(code, `${key} ${what}: ${excerpt}`, { cause, details })
  }

  #tell(error: McpError): void {
    try {
      this.#options.onProtocolError?.(error)
    } catch {
      // A reporter that throws changes nothing.
    }
  }
}

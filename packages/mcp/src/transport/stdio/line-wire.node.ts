import type { Readable } from 'node:stream'
import type { IncomingMessage, Wire, WireRequestOptions, WireTap } from '../../exchange/index.ts'
import { callerOf } from '../../exchange/plain-exchange.ts'
import { tapRequest } from '../../exchange/wire.ts'
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
import type { ArrivingMessage } from '../arrivals.ts'
import { type LineSink, LineSplitter, readFairly } from './lines.node.ts'
import { LineFaults, type LineFaultsOptions } from './line-faults.ts'
import { ResponseIdScan } from './client-id-scan.ts'
import { PendingRequests } from '../../exchange/pending-requests.ts'

export interface LineWireOptions extends LineFaultsOptions {
  sink: LineSink
  maxLineBytes: number
  numbers?: NumberMode | undefined
}

/** JSON-RPC with one message in a line: matches responses to requests, passes the rest on, reports faults. */
export abstract class LineWire implements Wire {
  abstract readonly kind: string
  readonly takesCancellation = true
  tap: WireTap | undefined
  onMessage: ((message: IncomingMessage) => void) | undefined
  onLateAnswer: ((id: RequestId) => void) | undefined
  readonly #options: LineWireOptions
  readonly #read: ReadJson
  readonly #splitter: LineSplitter
  readonly #pending: PendingRequests
  readonly #faults: LineFaults
  #oversize: { scan: ResponseIdScan; bytes: number } | undefined
  #ended: (() => McpError) | undefined
  /** Sends that failed: the stream broke, and why (an exit code, for instance) is known when the link ends. */
  #unsent: ((error: McpError) => void)[] = []
  /** The request that was the last thing written, if it was a request. */
  #lastWritten: RequestId | undefined
  /** Set when the end has begun. */
  protected closing: Promise<void> | undefined
  #gone: { reason: McpError | undefined } | undefined
  #onClose: Wire['onClose']

  constructor(options: LineWireOptions) {
    this.#options = options
    this.#faults = new LineFaults(options)
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

  get onClose(): Wire['onClose'] {
    return this.#onClose
  }

  /** A handler that is set after the end is called too: a server may be gone before anyone could listen. */
  set onClose(handler: Wire['onClose']) {
    this.#onClose = handler
    this.tellGone(this.#gone)
  }

  abstract close(): Promise<void>

  /** Only the first call shuts the wire down; the others wait for that. */
  protected closeOnce(shutDown: () => Promise<void>): Promise<void> {
    this.closing ??= shutDown()
    return this.closing
  }

  /** The wire is gone. There is no reason when we closed it. Told later: a handler that throws disturbs nothing here. */
  protected tellGone(gone: { reason: McpError | undefined } | undefined): void {
    this.#gone = gone
    const handler = this.#onClose
    if (handler !== undefined && gone !== undefined) queueMicrotask(() => handler(gone.reason))
  }

  /** Reads a stream, fairly to other streams. A long message is read as there is room for it, while it `mayWait`. */
  protected read(stream: Readable, arriving?: ArrivingMessage, mayWait: () => boolean = () => true): void {
    readFairly(stream, (chunk) => {
      const hasEnded = this.push(chunk)
      const { held } = this.#splitter
      if (!arriving || (held === 0 && !arriving.isLong)) return hasEnded
      if (!arriving.has(held) && mayWait()) stream.pause()
      return hasEnded
    })
    stream.on('close', () => arriving?.end())
  }

  push(chunk: Uint8Array): boolean {
    return this.#ended === undefined && this.#splitter.push(chunk)
  }

  /** The server will send nothing more; a complete message without a newline still counts. */
  drain(): void {
    if (this.#ended === undefined) this.#splitter.end()
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    return this.tap?.active
      ? tapRequest(this.tap, message, options, this.#request)
      : this.#request(message, options)
  }

  readonly #request = (message: JsonRpcRequest, options: WireRequestOptions): Promise<JsonRpcResponse> =>
    new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw this.#ended()
      const { id } = message
      const caller = callerOf(options)
      this.#pending.check(id, caller)
      this.#options.sink.write(toJsonText(message))
      this.#lastWritten = id
      this.#pending.add(id, resolve, reject, caller, options.takesBytes === true)
    })

  send(message: JsonRpcMessage): Promise<void> {
    this.tap?.seen('out', message)
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

  /** A long result that the caller passes on as bytes. */
  #receivePieces(pieces: readonly Uint8Array[]): boolean {
    const id = rawResultId(pieces)
    if (this.#ended !== undefined || id === undefined || !this.#pending.takesBytes(id)) return false
    const raw = readRawResult(pieces, this.#read)
    if (raw) this.#answer(raw, '')
    return raw !== undefined
  }

  #receive(line: string): void {
    // A handler may end the wire in the middle of a chunk.
    if (this.#ended !== undefined || line.length === 0) return
    const result = readResult(line, this.#read)
    if (result) return this.#answer(result, line)
    if (isNoise(line)) return this.#faults.report('parse_failed', 'wrote a line that is not JSON', line)
    let value: unknown
    try {
      value = this.#read(line)
    } catch (cause) {
      if (cause instanceof RefusedJson) this.#refuse(cause, line)
      else if (line.trim() !== '')
        this.#faults.report('parse_failed', 'wrote a line that is not JSON', line, cause)
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
    this.tap?.seen('in', message)
    try {
      this.onMessage?.(message)
    } catch (thrown) {
      this.#faults.report('bad_response', 'sent a message whose handler threw', line, thrown)
    }
  }

  #answer(message: JsonRpcResponse, line: string): void {
    const id = message.id ?? this.#idOfUnreadable(message)
    if (id === undefined) return this.#faults.report('bad_response', 'answered without an id', line)
    const found = this.#pending.resolve(id, message)
    if (found === 'late') this.onLateAnswer?.(id)
    else if (found === 'unknown') {
      this.#faults.report('bad_response', `answered ${JSON.stringify(id)}, which is not pending`, line)
    }
  }

  /** An answer with a null id belongs to our request only if no other request is pending and ours was written last. */
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
      const error = this.#faults.error(
        'bad_response',
        `answered with something that is not JSON-RPC (${why})`,
        line,
      )
      if (this.#pending.reject(value.id, error)) return
    }
    this.#faults.report('bad_response', `wrote a line that is not JSON-RPC (${why})`, line)
  }

  #refuse({ heads, message }: RefusedJson, line: string): void {
    const what = `sent a message that is not read: ${message}`
    for (const { id, isResponse } of heads) {
      if (isResponse && id !== null) this.#pending.reject(id, this.#faults.error('bad_response', what, line))
    }
    this.#faults.report('bad_response', what, line)
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
    this.#faults.tell(error)
  }
}

import type {
  Connector,
  Canceller,
  IncomingMessage,
  Wire,
  WireRequestOptions,
  WireTap,
} from '../../../exchange/index.ts'
import { tapRequest } from '../../../exchange/wire.ts'
import { type HttpClientOptions, forWire, resolveHttpOptions, type HttpClientSettings } from './options.ts'
import { checkUrl } from './url.ts'
import { CallTable, GivenUpIds } from '../../../exchange/pending-requests.ts'
import { signalCancellation, callerOf } from '../../../exchange/plain-exchange.ts'
import {
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  type ParsedMessage,
  type RequestId,
  toJsonText,
} from '../../../jsonrpc/index.ts'
import { discard, readErrorText } from './body.ts'
import { badResponse, closedError, displayUrl, statusError, isSessionLost } from './errors.ts'
import { forEachMessage, unreadable } from './messages.ts'
import { Operations } from './operations.ts'
import { sendHttp } from './send.ts'
import { openEndpointStream } from './sse-client-stream.ts'

/**
 * A server of the HTTP+SSE transport (2024-11-05) at a URL. `http(url)` falls back to it by itself.
 *
 * @example
 * const connector = sse('https://example.com/sse')
 */
export function sse(url: string | URL, options: HttpClientOptions = {}): Connector {
  const key = String(url)
  const settings = resolveHttpOptions(options)
  return {
    kind: 'sse',
    key,
    open: async (open = {}) => openSseWire(checkUrl(key), forWire(settings, open), open.signal),
  }
}

async function openSseWire(
  url: string,
  settings: HttpClientSettings,
  signal: AbortSignal | undefined,
): Promise<Wire> {
  const wire = new SseWire(url, settings)
  await wire.open(signal)
  return wire
}

/** HTTP+SSE (2024-11-05): messages go out by POST, and everything comes back on one event stream. */
class SseWire implements Wire {
  readonly kind = 'sse'
  readonly takesCancellation = true
  tap: WireTap | undefined
  onMessage: ((message: IncomingMessage) => void) | undefined
  onLateAnswer: Wire['onLateAnswer']
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly #url: string
  readonly #settings: HttpClientSettings
  readonly #operations: Operations
  readonly #waiting = new CallTable<RequestId, (response: JsonRpcResponse) => void>()
  readonly #givenUp = new GivenUpIds()
  /** Requests that the server has neither accepted nor refused yet. */
  readonly #posting = new Set<Canceller>()
  #endpoint = ''
  #lost: McpError | undefined
  #version: string | undefined

  constructor(url: string, settings: HttpClientSettings) {
    this.#url = url
    this.#settings = settings
    this.#operations = new Operations(url)
  }

  open(signal: AbortSignal | undefined): Promise<void> {
    return this.#operations.run<void>(signal && signalCancellation(signal), async (operation) => {
      const lost = await openEndpointStream({
        url: this.#url,
        settings: this.#settings,
        abort: operation,
        onEndpoint: (endpoint) => {
          this.#endpoint = endpoint
          operation.answer()
        },
        onData: (data) => forEachMessage(data, this.#settings.read, (parsed) => this.#accept(parsed, data)),
      })
      this.#end(lost)
    })
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    return this.tap?.active
      ? tapRequest(this.tap, message, options, this.#request)
      : this.#request(message, options)
  }

  readonly #request = (message: JsonRpcRequest, options: WireRequestOptions): Promise<JsonRpcResponse> => {
    const { id } = message
    if (this.#lost) return Promise.reject(this.#lost)
    if (this.#waiting.has(id)) {
      return Promise.reject(new McpError('unsupported', `A request with the id ${id} is already under way`))
    }
    return this.#operations
      .run<JsonRpcResponse>(callerOf(options), async (operation) => {
        const answered = new Promise<void>((done) => {
          this.#waiting.set(id, (response) => {
            operation.answer(response)
            done()
          })
          operation.onAbort(() => {
            this.#givenUp.add(id)
            done()
          })
        })
        this.#posting.add(operation)
        await this.#post(message, operation, options.headers).finally(() => this.#posting.delete(operation))
        // Accepted before the session was lost: its answer has nowhere to come.
        if (this.#lost) throw closedError(this.#url)
        await answered
      })
      .finally(() => this.#waiting.delete(id))
      .catch(this.#endIfLost)
  }

  send(message: JsonRpcMessage): Promise<void> {
    this.tap?.seen('out', message)
    if (this.#lost) return Promise.reject(this.#lost)
    const sent = this.#operations.run<void>(undefined, async (operation) => {
      await this.#post(message, operation)
      operation.answer()
    })
    return sent.catch(this.#endIfLost)
  }

  setProtocolVersion(version: string): void {
    this.#version = version
  }

  async close(): Promise<void> {
    this.#end(undefined)
  }

  async #post(message: JsonRpcMessage, abort: Canceller, extra?: Record<string, string>): Promise<void> {
    const headers: Record<string, string> = { ...extra, 'content-type': 'application/json' }
    if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version
    const response = await sendHttp(
      {
        method: 'POST',
        url: this.#endpoint,
        headers,
        body: toJsonText(message),
        abort,
        headersWithin: this.#settings.connectTimeout,
        reauthorize: true,
      },
      this.#settings,
    )
    if (response.ok) return discard(response)
    const text = await readErrorText(response, this.#settings.maxMessageBytes)
    throw this.#errorOf(response, text)
  }

  #errorOf(response: Response, text: string): McpError {
    const error = statusError(response, this.#endpoint, 'POST', text)
    if (!isSessionLost(response.status, text, response.headers.get('www-authenticate'))) return error
    const url = displayUrl(this.#endpoint)
    const message = `${url} no longer knows this connection (HTTP ${response.status})`
    return new McpError('session_lost', message, { details: error.details })
  }

  /**
   * Nothing can be sent any more. The server may have carried out requests that it accepted, so they are "closed" and
   * not "lost". Requests that are being sent find out for themselves.
   */
  readonly #endIfLost = (thrown: unknown): never => {
    if (thrown instanceof McpError && thrown.code === 'session_lost') {
      this.#lost ??= thrown
      this.#end(thrown, closedError(this.#url), this.#posting)
    }
    throw thrown
  }

  #accept(parsed: ParsedMessage, text: string): void {
    if (parsed.kind === 'response') this.#answer(parsed.message)
    else if (parsed.kind !== 'invalid') this.#deliver(parsed.message)
    else this.#settings.report(() => unreadable(this.#url, text, parsed.reply.error.message))
  }

  #answer(response: JsonRpcResponse): void {
    const { id } = response
    const answer = id === null ? undefined : this.#waiting.get(id)
    if (id !== null && answer === undefined && this.#givenUp.take(id)) this.onLateAnswer?.(id)
    else if (id === null || answer === undefined) {
      const what = `answered a request with the unknown id ${JSON.stringify(id)}`
      this.#settings.report(() => badResponse(this.#url, what))
    } else {
      this.#waiting.delete(id)
      answer(response)
    }
  }

  #deliver(message: IncomingMessage): void {
    if (this.#operations.closed) return
    this.tap?.seen('in', message)
    try {
      this.onMessage?.(message)
    } catch (thrown) {
      this.#settings.report(() => McpError.from(thrown, 'bad_response'))
    }
  }

  /** The wire is its stream: when that is gone, nothing can be answered any more. */
  #end(
    reason: McpError | undefined,
    forRequests: McpError | undefined = reason,
    spared?: ReadonlySet<Canceller>,
  ): void {
    if (this.#operations.closed) return
    this.#operations.close(forRequests, spared)
    // An open that failed has told its caller already.
    if (this.#endpoint !== '') this.onClose?.(reason)
  }
}

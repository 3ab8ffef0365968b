import { Canceller, callerOf } from '../../../exchange/plain-exchange.ts'
import type { IncomingMessage, Wire, WireRequestOptions, WireTap } from '../../../exchange/index.ts'
import { tapRequest } from '../../../exchange/wire.ts'
import {
  type JsonRpcFailure,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  parseMessage,
  toJsonText,
} from '../../../jsonrpc/index.ts'
import { discard, readErrorText } from './body.ts'
import { badResponse, displayUrl, isScopeChallenge, statusError, isSessionLost } from './errors.ts'
import { addModernHeaders, encodeMirrored, envelopeVersion } from './headers.ts'
import { listen } from './listen.ts'
import { type Operation, Operations } from './operations.ts'
import type { HttpClientSettings } from './options.ts'
import { readAnswer } from './read-answer.ts'
import { type HttpCall, sendHttp } from './send.ts'
import { saysLost, SESSION_CHECK, type SessionState, sessionState } from './session-state.ts'

/** Closing waits this long for the server to drop the session. */
const DELETE_MS = 2_000

/** Streamable HTTP: a POST per message. Those with an envelope are modern; others use a session. */
export class HttpWire implements Wire {
  readonly kind = 'http'
  readonly takesCancellation = true
  tap: WireTap | undefined
  onMessage: ((message: IncomingMessage) => void) | undefined
  onMissed: (() => void) | undefined
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly #url: string
  readonly #settings: HttpClientSettings
  readonly #operations: Operations
  #session: string | undefined
  #version: string | undefined
  #listening: Canceller | undefined
  /** The GET stream was given up while the server was away; the next answer shows that it is back. */
  #listenAgain = false
  /** The GET stream of this session has been open before. */
  #listened = false
  /** Set when the server no longer knows the session. A wire has one session: with it the wire is gone. */
  #lost: McpError | undefined
  #closing: Promise<void> | undefined

  constructor(url: string, settings: HttpClientSettings) {
    this.#url = url
    this.#settings = settings
    this.#operations = new Operations(url)
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    return this.tap?.active ? tapRequest(this.tap, message, options, this.#ask) : this.#ask(message, options)
  }

  readonly #ask = (message: JsonRpcRequest, options: WireRequestOptions): Promise<JsonRpcResponse> => {
    if (this.#lost) return Promise.reject(this.#lost)
    return this.#operations.run<JsonRpcResponse>(callerOf(options), (operation) => {
      operation.origin = options.origin
      return this.#request(message, options, operation)
    })
  }

  send(message: JsonRpcMessage): Promise<void> {
    this.tap?.seen('out', message)
    if (this.#lost) return Promise.reject(this.#lost)
    return this.#operations.run<void>(undefined, async (operation) => {
      const session = this.#session
      const response = await this.#post(message, operation, { headersWithin: this.#settings.connectTimeout })
      if (!response.ok) throw await this.#refusal(response, session)
      operation.answer()
      await discard(response)
    })
  }

  setProtocolVersion(version: string): void {
    this.#version = version
  }

  startListening(): void {
    if (this.#listening !== undefined || this.#operations.closed) return
    const listening = new Canceller()
    this.#listening = listening
    this.#listenAgain = false
    const done = this.#operations.run<void>(listening, async ({ signal }) => {
      const end = await listen({
        url: this.#url,
        headers: () => this.#sessionHeaders(),
        onMessage: (message) => this.#deliver(message),
        onOpen: () => {
          if (this.#listened) this.onMissed?.()
          this.#listened = true
        },
        signal,
        settings: this.#settings,
      })
      if (this.#listening !== listening) return
      this.#listening = undefined
      this.#listenAgain = end === 'exhausted'
      if (end === 'doubtful') await this.#checkSession()
    })
    done.catch(() => {}) // only says that listening is over
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #request(
    message: JsonRpcRequest,
    options: WireRequestOptions,
    operation: Operation<JsonRpcResponse>,
  ): Promise<void> {
    const modern = envelopeVersion(message) !== undefined
    const initializes = !modern && message.method === 'initialize'
    // 2025-11-25, Session Management: a new InitializeRequest carries no session id.
    if (initializes) this.#leaveSession()
    const session = modern ? undefined : this.#session
    const response = await this.#post(message, operation, options.headers && { headers: options.headers })
    if (!response.ok) return operation.answer(await this.#failure(response, session))
    if (initializes) this.#adoptSession(response)
    const version = this.#version
    const opened = initializes ? this.#session : session
    let doubted: Promise<void> | undefined
    await readAnswer({
      url: this.#url,
      request: message,
      response,
      resumable: !modern,
      // A stream belongs to the session in which it was opened, even if that is lost and replaced meanwhile.
      headers: () => sessionHeaders(opened, version),
      onAnswer: (answer) => {
        if (opened === undefined || !saysLost(answer)) operation.answer(answer)
        else doubted = this.#checked(answer, operation)
      },
      onMessage: (incoming) => this.#deliver(incoming, options.onMessage),
      takesBytes: options.takesBytes,
      onDetached: options.onDetached,
      onDoubt: () => void this.#checkSession(),
      abort: operation,
      settings: this.#settings,
      read: this.#settings.read,
      report: this.#settings.report,
    })
    await doubted
    if (this.#listenAgain) this.startListening()
  }

  #post(
    message: JsonRpcMessage,
    abort: Canceller,
    extra: { headers?: Record<string, string>; headersWithin?: number } = {},
  ): Promise<Response> {
    const version = envelopeVersion(message)
    const headers: Record<string, string> = extra.headers ? encodeMirrored(extra.headers) : {}
    if (version === undefined) Object.assign(headers, this.#sessionHeaders())
    else addModernHeaders(headers, message, version)
    headers['content-type'] = 'application/json'
    headers.accept = 'application/json, text/event-stream'
    const call: HttpCall = {
      method: 'POST',
      url: this.#url,
      headers,
      body: toJsonText(message),
      abort,
      reauthorize: true,
    }
    if (extra.headersWithin !== undefined) call.headersWithin = extra.headersWithin
    return sendHttp(call, this.#settings)
  }

  #sessionHeaders(): Record<string, string> {
    return sessionHeaders(this.#session, this.#version)
  }

  #adoptSession(response: Response): void {
    const session = response.headers.get('mcp-session-id')
    if (session === null) return
    if (/^[\x21-\x7e]+$/.test(session)) this.#session = session
    else throw badResponse(this.#url, 'sent a session id with characters that a session id must not have')
  }

  /** The outcome of a status other than 2xx. A JSON-RPC error in it is an answer like any other. */
  async #failure(response: Response, session: string | undefined): Promise<JsonRpcResponse> {
    const text = await this.#readError(response)
    const error = await this.#errorOf(response, session, text)
    const parsed = parseMessage(text, this.#settings.read)
    if (error.code !== 'http_status' || parsed.kind !== 'response' || !('error' in parsed.message))
      throw error
    return parsed.message
  }

  async #refusal(response: Response, session: string | undefined): Promise<McpError> {
    return this.#errorOf(response, session, await this.#readError(response))
  }

  async #errorOf(response: Response, session: string | undefined, text: string): Promise<McpError> {
    const error = statusError(response, this.#url, 'POST', text)
    if (session === undefined || isScopeChallenge(response)) return error
    const { status, headers } = response
    const isLost =
      isSessionLost(status, text, headers.get('www-authenticate')) && (await this.#isConfirmed(status))
    return isLost ? this.#lose(`HTTP ${status}`, error.details) : error
  }

  /** 404 says it for certain. With 400 and 401 the words may be about something else, so a ping decides. */
  async #isConfirmed(status: number): Promise<boolean> {
    return (status !== 400 && status !== 401) || (await this.#check()) !== 'alive'
  }

  /** A server may say with HTTP 200 as well that the session is gone, and a tool may say so of its own. */
  async #checked(answer: JsonRpcFailure, operation: Operation<JsonRpcResponse>): Promise<void> {
    if ((await this.#check()) === 'alive') return operation.answer(answer)
    throw this.#lose(answer.error.message, { body: toJsonText(answer) })
  }

  /** Ends the wire for further messages. Requests under way notice it by themselves. */
  #lose(how: string, details: Record<string, unknown>): McpError {
    const message = `${displayUrl(this.#url)} no longer knows this session (${how}); initialize again`
    const error = new McpError('session_lost', message, { details })
    if (this.#lost || this.#operations.closed) return error
    this.#lost = error
    this.#leaveSession()
    this.onClose?.(error)
    return error
  }

  #leaveSession(): void {
    this.#session = undefined
    this.#version = undefined
    this.#listening?.abort()
    this.#listening = undefined
    this.#listenAgain = false
    this.#listened = false
  }

  /**
   * A stream was refused as if the session were gone. Some servers merely do not have such a stream, so a ping decides.
   */
  async #checkSession(): Promise<void> {
    if (this.#session === undefined || this.#operations.closed) return
    if ((await this.#check()) === 'lost') this.#lose('a ping was refused', {})
  }

  async #check(): Promise<SessionState> {
    if (this.#lost) return 'lost'
    const checking = this.#operations.run<SessionState>(undefined, async (operation) => {
      const headersWithin = this.#settings.connectTimeout
      const response = await this.#post(SESSION_CHECK, operation, { headersWithin })
      operation.answer(sessionState(response, await this.#readError(response)))
    })
    return checking.catch(() => 'unknown')
  }

  #readError(response: Response): Promise<string> {
    return readErrorText(response, this.#settings.maxMessageBytes)
  }

  /** `own`: for messages on the stream of one request, where it wants them. */
  #deliver(message: IncomingMessage, own?: WireRequestOptions['onMessage']): void {
    if (this.#operations.closed) return
    if (!own) this.tap?.seen('in', message)
    try {
      const handler = own ?? this.onMessage
      handler?.(message)
    } catch (thrown) {
      this.#settings.report(() => McpError.from(thrown, 'bad_response'))
    }
  }

  async #close(): Promise<void> {
    this.#operations.close()
    if (this.#session !== undefined) await this.#deleteSession()
    if (!this.#lost) this.onClose?.(undefined)
  }

  /** Best effort: a server may not allow it (405), or be gone. */
  async #deleteSession(): Promise<void> {
    const abort = new Canceller()
    const late = new Promise<void>((resolve) => abort.onAbort(resolve))
    const timer = setTimeout(() => abort.abort(), DELETE_MS)
    const headers = this.#sessionHeaders()
    const sent = sendHttp(
      { method: 'DELETE', url: this.#url, headers, abort, reauthorize: false },
      this.#settings,
    )
    await Promise.race([sent.then(discard).catch(() => {}), late])
    clearTimeout(timer)
  }
}

function sessionHeaders(session: string | undefined, version: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (session !== undefined) headers['mcp-session-id'] = session
  if (version !== undefined) headers['mcp-protocol-version'] = version
  return headers
}

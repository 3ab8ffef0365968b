import { McpError } from '@gantry/mcp/client'
import { isModern, type Exchange } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { readDuration } from '../../model/index.ts'
import { noteUpstream, recordOf } from '../../telemetry/exchange-log.ts'
import type { ExchangeRecord, SeenMessage } from '../../telemetry/exchange-record.ts'
import type { JsonObject } from '@gantry/mcp/server'
import type { OpenApiTargetOptions } from './options.ts'
import { AccessToken } from './request/access-token.ts'
import { buildRequest } from './request/build-request.ts'
import { CallError } from './request/call-error.ts'
import { bearer, type Credential, type Credentials, secretText } from './request/credentials.ts'
import { Redactor, secretHeaders } from './request/redact.ts'
import { createReachFetch, type Answer, type OutgoingRequest, sendRequest } from './request/send-request.ts'
import type { ServerUrls } from './request/server-url.ts'
import { toResult } from './result/to-result.ts'
import { checkValue } from './tools/check-value.ts'
import type { OperationPlan } from './tools/tool-plan.ts'
import type { Operation } from './operations/operation.ts'
import { isSendableHeader } from './operations/read-parameter.ts'

const DEFAULT_TIMEOUT = 30_000
const DEFAULT_RESPONSE_BYTES = 10 * 1024 * 1024

/** Calls the API: everything from checked arguments to a tool result. */
export class OperationCaller {
  readonly #options: OpenApiTargetOptions
  readonly #servers: ServerUrls
  readonly #credentials: Credentials
  readonly #token: AccessToken | undefined
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetches = new Map<string, typeof fetch>()
  readonly #timeout: number
  readonly #underWay = new Set<CallDeadline>()
  readonly #fixedSecrets: readonly string[]
  #redactor: { readonly tokens: string; readonly redactor: Redactor } | undefined

  constructor(options: OpenApiTargetOptions, servers: ServerUrls, credentials: Credentials) {
    this.#options = options
    this.#servers = servers
    this.#credentials = credentials
    this.#timeout = timeOf(options.timeout ?? DEFAULT_TIMEOUT)
    this.#headers = Object.fromEntries(
      Object.entries(options.headers ?? {}).map(([name, text]) => [name, secretText(text)]),
    )
    this.#fixedSecrets = [...credentials.secrets(), ...secretHeaders(options.headers ?? {})]
    const grant = options.auth?.clientCredentials
    this.#token = grant && new AccessToken(grant, options.fetch ?? globalThis.fetch)
  }

  /** Never throws: what goes wrong is a result with `isError`, written for the model. */
  async call(plan: OperationPlan, args: JsonObject, exchange: Exchange): Promise<JsonObject> {
    const problems = checkValue(plan.input.schema, args)
    if (problems.length > 0) return failed(`Invalid arguments for ${plan.name}: ${problems.join('; ')}.`)
    const base = this.#servers.find(plan.operation)
    if (base === undefined) {
      return failed('The description does not say where the API is. The operator has to set openapi.baseUrl.')
    }
    const deadline = new CallDeadline(exchange.signal, this.#timeout)
    this.#underWay.add(deadline)
    try {
      const answer = await this.#send(plan, base, args, exchange, deadline.signal)
      return toResult(answer, {
        plan,
        objectsOnly: !isModern(exchange.client.version),
        url: base.origin + base.pathname.replace(/\/$/, '') + plan.operation.path,
        redactor: this.#redacting(),
      })
    } catch (error) {
      if (error instanceof CallError) return failed(this.#redacting().text(error.message))
      const { timedOut } = deadline
      const cancelled = deadline.signal.aborted && !timedOut
      const facts = { operation: plan.operation, origin: base.origin, timeout: this.#timeout }
      return failed(this.#redacting().text(explainFailure(error, { ...facts, timedOut, cancelled })))
    } finally {
      deadline.release()
      this.#underWay.delete(deadline)
    }
  }

  /** Ends what is under way. */
  close(): void {
    for (const deadline of this.#underWay) deadline.abort()
  }

  async #send(
    plan: OperationPlan,
    base: URL,
    args: JsonObject,
    exchange: Exchange,
    signal: AbortSignal,
  ): Promise<Answer> {
    const headers = { ...forwardedHeaders(exchange, this.#options.forwardHeaders ?? []), ...this.#headers }
    const fixed = this.#credentials.for(plan.operation)
    const token = await this.#token?.get(signal)
    const options = {
      fetch: this.#options.fetch ?? this.#fetchFrom(base),
      redirects: this.#options.redirects ?? 'same-origin',
      maxResponseBytes: this.#options.maxResponseBytes ?? DEFAULT_RESPONSE_BYTES,
      signal,
    }
    const request = (credentials: readonly Credential[]) =>
      buildRequest(plan, { base, arguments: args, headers, credentials })
    const send = (built: OutgoingRequest): Promise<Answer> =>
      this.#watched(built, sendRequest(built, options), exchange)
    if (this.#token === undefined || token === undefined) return await send(request(fixed))
    const answer = await send(request([...fixed, bearer(token)]))
    if (answer.status !== 401) return answer
    // Refused before anything was done: a token that was revoked early is replaced, once.
    this.#token.reject(token)
    const fresh = await this.#token.get(signal)
    return await send(request([...fixed, bearer(fresh)]))
  }

  /** Notes the request for operators: credentials in its headers and its URL are masked. */
  async #watched(request: OutgoingRequest, sent: Promise<Answer>, exchange: Exchange): Promise<Answer> {
    const record = recordOf(exchange)
    if (!record) return sent
    const [at, began] = [Date.now(), performance.now()]
    const { method } = request
    const clean = (headers: Headers): Record<string, string> =>
      Object.fromEntries([...headers].map(([name, value]) => [name, this.#redacting().text(value)]))
    const url = this.#redacting().text(request.url.href)
    const out = { http: { method, url, headers: clean(request.headers) } }
    note(record, { hop: 'target', direction: 'out', message: out, at, note: `${method} by HTTP` })
    const answer = await sent
    const milliseconds = Math.round((performance.now() - began) * 100) / 100
    const back = { http: { status: answer.status, milliseconds, headers: clean(answer.headers) } }
    note(record, { hop: 'target', direction: 'in', message: back, note: `status ${answer.status}` })
    return answer
  }

  /** A description from the network may name what is as near as itself; redirects what is as near as the API. */
  #fetchFrom(base: URL): typeof fetch {
    const { document, baseUrl, trustedHosts = [] } = this.#options
    const isForeign = baseUrl === undefined && /^https?:/i.test(String(document))
    const serverUrl = (isForeign && parseUrl(String(document))) || base
    const known = this.#fetches.get(serverUrl.host)
    if (known) return known
    const fetch = createReachFetch({ serverUrl, trustedHosts })
    this.#fetches.set(serverUrl.host, fetch)
    return fetch
  }

  /** Made anew when there is another access token. */
  #redacting(): Redactor {
    const tokens = this.#token?.secrets() ?? []
    const key = tokens.join(' ')
    if (this.#redactor?.tokens !== key) {
      this.#redactor = { tokens: key, redactor: new Redactor([...this.#fixedSecrets, ...tokens]) }
    }
    return this.#redactor.redactor
  }
}

function failed(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true }
}

function timeOf(timeout: number | string): number {
  const milliseconds = readDuration(timeout)
  if (milliseconds !== undefined) return milliseconds
  throw new McpError(
    'invalid_config',
    `timeout: ${JSON.stringify(timeout)} is not a time such as 500 or '30s'`,
  )
}

/** Ends one call. `AbortSignal.any` would leak for every call on a signal that lives with the gateway. */
class CallDeadline {
  timedOut = false
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #timer: NodeJS.Timeout

  constructor(caller: AbortSignal, timeout: number) {
    this.#caller = caller
    this.#timer = setTimeout(() => {
      this.timedOut = true
      this.#controller.abort(new Error('timeout'))
    }, timeout)
    caller.addEventListener('abort', this.abort, { once: true })
    if (caller.aborted) this.abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  readonly abort = (): void => this.#controller.abort(this.#caller.reason)

  /** The call is over, whatever its end. */
  release(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.abort)
  }
}

/** Failures of the network in which the request did not reach the API, with their meaning and advice. */
const NEVER_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there: is the API running, and is the URL right?',
  ENOTFOUND: 'the host name does not exist: check the URL, or baseUrl in the configuration',
  OUT_OF_REACH:
    'the description or a redirect leads into a private network: if this is meant, name the host in server.trustedHosts',
  EAI_AGAIN: 'the host name could not be looked up: check the network and DNS',
  EHOSTUNREACH: 'the host cannot be reached from the gateway: check the network',
  ENETUNREACH: 'the network cannot be reached from the gateway: check the network',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not accept the connection in time: check the network and firewalls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed: set NODE_EXTRA_CA_CERTS for the gateway',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is from a private authority: set NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified: set NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
}

/** A sentence for the model and the operator: where, why, what to check, and whether it may have happened. */
function explainFailure(
  error: unknown,
  context: { operation: Operation; origin: string; timeout: number; timedOut: boolean; cancelled: boolean },
): string {
  const { operation, origin, timeout } = context
  const request = `${operation.key} at ${origin}`
  const isSafe = operation.method === 'get' || operation.method === 'head' || operation.method === 'options'
  const doubt = isSafe ? '' : ' The request may have been carried out; check before you repeat it.'
  if (context.cancelled) return `${request} was cancelled.${doubt}`
  if (context.timedOut) return `${request} gave no complete answer within ${timeout} ms.${doubt}`
  const code = codeOf(error)
  const known = code !== undefined && Object.hasOwn(NEVER_SENT, code) ? NEVER_SENT[code] : undefined
  if (known) return `${request} failed (${code}): ${known}. The request was not sent.`
  return `${request} failed${code ? ` (${code})` : ''}: the connection broke before the answer was complete.${doubt}`
}

/** `fetch` hides the reason one or two causes deep; several addresses make an AggregateError of it. */
function codeOf(error: unknown): string | undefined {
  let at: unknown = error
  for (let depth = 0; depth < 5 && at instanceof Error; depth++) {
    const code: unknown = Reflect.get(at, 'code')
    if (typeof code === 'string') return code
    at = at instanceof AggregateError ? at.errors[0] : at.cause
  }
  return undefined
}

/** The client's headers that the configuration lists, and no others. */
function forwardedHeaders(
  exchange: Pick<Exchange, 'headers'>,
  names: readonly string[],
): Record<string, string> {
  const forwarded: Record<string, string> = {}
  for (const name of names.map((each) => each.toLowerCase())) {
    const value =
      exchange.headers && Object.hasOwn(exchange.headers, name) ? exchange.headers[name] : undefined
    if (value !== undefined && isSendableHeader(name)) forwarded[name] = value
  }
  return forwarded
}

function note(record: ExchangeRecord, message: SeenMessage): void {
  const seen = [{ at: Date.now(), ...message }]
  noteUpstream(record, { seen: () => seen })
}

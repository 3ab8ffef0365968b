/// <reference lib="esnext.disposable" preserve="true" />
import type {
  ClientEdge,
  Connector,
  Exchange,
  InputResponses,
  Middleware,
  Outcome,
  RequestAnswer,
} from '../exchange/index.ts'
import { type JsonObject, McpError } from '../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type CompleteResult,
  type Discovery,
  type Era,
  type GetPromptResult,
  type Implementation,
  type LoggingLevel,
  META,
  type Prompt,
  type ReadResourceResult,
  requireKnownOptions,
  type Resource,
  type ResourceTemplate,
  type Revision,
  type ServerCapabilities,
  type Tool,
  type SubscriptionFilter,
} from '../protocol/index.ts'
import type { CallEvent } from './call-events.ts'
import type { CallResult } from './call-result.ts'
import { ClientCore } from './client-core.ts'
import type { ClientEvents, ClientOptions } from './client-options.ts'
import type { Deadline } from './deadlines/deadline.ts'
import { resultOf } from './outcome-result.ts'
import { Pages } from './pages.ts'
import { type RequestOptions, requireRequestOptions } from './request-options.ts'
import { resumeParams, type SavedCall, type StartedCall } from './saved-call.ts'
import type { Subscription } from './subscriptions/subscriptions.ts'
import { ToolCalls, toolParams } from './tool-calls.ts'
import { createTools, type PromptCall, type Prompts, type Tools } from './tools.ts'

const CHANGE_EVENTS: ReadonlySet<string> = new Set(['toolsChanged', 'promptsChanged', 'resourcesChanged'])

/** The subject of a completion: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference = { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string }

/**
 * A client of one MCP server, of any era and on any transport.
 *
 * @example
 * ```ts
 * await using client = new Client({ name: 'me', version: '1.0.0', connector })
 * const result = await client.call('add', { a: 1, b: 2 })
 * console.log(result.text())
 * ```
 */
export class Client<App = unknown> implements AsyncDisposable {
  /** The server's tools as functions, typed by `App`. */
  readonly tools: Tools<App>
  /** For servers that mount this client; there is nothing here at run time. */
  declare readonly '~app': App
  readonly #core: ClientCore
  readonly #calls: ToolCalls

  constructor(options: ClientOptions = {}) {
    this.#core = new ClientCore(options)
    this.#calls = new ToolCalls(this.#core)
    this.tools = createTools<App>((name, args, callOptions) => this.call(name, args, callOptions))
  }

  /** Connects, once however often it is called, and says what the server says about itself. */
  async connect(connector?: Connector, options: { signal?: AbortSignal } = {}): Promise<Discovery> {
    requireKnownOptions('connection', { signal: 1 }, options)
    const core = this.#core
    if (connector && connector !== core.connector) {
      if (core.connection.busy) {
        throw new McpError('already_started', 'This client is connected to another server: close it first')
      }
      core.connector = connector
    }
    return (await core.connection.open(options.signal)).edge.discovery
  }

  /**
   * Ends the connection; pending requests fail. Does nothing when there is no connection. `connect()` opens it again.
   */
  async close(): Promise<void> {
    const { subscriptions, connection, requests } = this.#core
    subscriptions.stop()
    const closing = connection.close()
    requests.end(new McpError('closed', 'The client was closed'))
    await closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #edge(): ClientEdge | undefined {
    return this.#core.connection.current?.edge
  }

  get connected(): boolean {
    return this.#edge !== undefined
  }

  get era(): Era | undefined {
    return this.#edge?.era
  }

  get protocolVersion(): Revision | undefined {
    return this.#edge?.version
  }

  /** The server's description of itself when the connection was made. */
  get discovery(): Discovery | undefined {
    return this.#edge?.discovery
  }

  get serverInfo(): Implementation | undefined {
    return this.discovery?._meta?.[META.serverInfo] as Implementation | undefined
  }

  get serverCapabilities(): ServerCapabilities | undefined {
    return this.discovery?.capabilities
  }

  get instructions(): string | undefined {
    return this.discovery?.instructions
  }

  get capabilities(): ClientCapabilities {
    return this.#core.capabilities
  }

  /** Adds middleware, innermost last. */
  use(middleware: Middleware): this {
    this.#core.requests.use(middleware)
    return this
  }

  /** Lets an extension answer requests of 2025-11-25 servers first; declared in the next handshake. */
  answerRequests(capabilities: ClientCapabilities, answer: RequestAnswer): this {
    Object.assign(this.#core.extensions.capabilities, capabilities)
    this.#core.extensions.answers.push(answer)
    return this
  }

  /** Listens to an event; returns what stops it. Change events are asked of the server while someone listens. */
  on<K extends keyof ClientEvents>(event: K, listener: (value: ClientEvents[K]) => void): () => void {
    const { events, subscriptions } = this.#core
    const off = events.on(event, listener)
    if (!CHANGE_EVENTS.has(event)) return off
    queueMicrotask(() => subscriptions.update())
    return () => {
      off()
      queueMicrotask(() => subscriptions.update())
    }
  }

  /** Resolves with the acknowledged filter when the server has acknowledged the subscriptions of now. */
  listening(): Promise<SubscriptionFilter> {
    return this.#core.subscriptions.granted()
  }

  /** Subscribes to updates of a resource, which come as `resourceUpdated`. */
  async subscribe(
    uri: string,
    options: Pick<RequestOptions, 'signal' | 'timeout'> = {},
  ): Promise<Subscription> {
    requireRequestOptions(options)
    const core = this.#core
    await core.connection.acquire(options.signal)
    const deadline = core.requests.deadline('subscriptions/listen', options)
    try {
      return await core.subscriptions.subscribe(uri, deadline.signal)
    } finally {
      deadline.dispose()
    }
  }

  /** Calls a tool. A result that says `isError` is a result; only protocol and local failures throw. */
  call(name: string, args?: JsonObject, options: RequestOptions = {}): Promise<CallResult> {
    return this.#calls.call(toolParams(name, args), options)
  }

  /** Calls a tool and tells what happens on the way. */
  stream(
    name: string,
    args?: JsonObject,
    options: RequestOptions = {},
  ): AsyncGenerator<CallEvent, void, undefined> {
    return this.#calls.stream(toolParams(name, args), options)
  }

  /** Calls a tool, and returns its questions instead of having them answered. */
  start(name: string, args?: JsonObject, options: RequestOptions = {}): Promise<StartedCall> {
    return this.#calls.start(toolParams(name, args), options)
  }

  /** Goes on with a call that `start` or `resume` returned, with answers by the keys of its questions. */
  async resume(
    saved: SavedCall,
    answers: InputResponses,
    options: RequestOptions = {},
  ): Promise<StartedCall> {
    return this.#calls.start(await resumeParams(saved, answers), options)
  }

  listTools(options: RequestOptions = {}): Pages<Tool> {
    return this.list<Tool>('tools/list', 'tools', options).filter((tool) => this.#core.isUsable(tool))
  }

  listPrompts(options: RequestOptions = {}): Pages<Prompt> {
    return this.list<Prompt>('prompts/list', 'prompts', options)
  }

  listResources(options: RequestOptions = {}): Pages<Resource> {
    return this.list<Resource>('resources/list', 'resources', options)
  }

  listResourceTemplates(options: RequestOptions = {}): Pages<ResourceTemplate> {
    return this.list<ResourceTemplate>('resources/templates/list', 'resourceTemplates', options)
  }

  /** Reads any list that comes in pages, such as an extension's; `member` is what holds the items. */
  list<Item>(method: string, member: string, options: RequestOptions = {}): Pages<Item> {
    const { maxPages } = this.#core.options
    return new Pages({ method, member, maxPages }, (cursor) =>
      this.request(method, cursor === undefined ? {} : { cursor }, options),
    )
  }

  async getPrompt<Name extends keyof Prompts<App> & string>(
    name: Name,
    ...[args, options = {}]: PromptCall<Prompts<App>[Name]>
  ): Promise<GetPromptResult> {
    const params = { name, ...(args && { arguments: args }) }
    return (await this.request('prompts/get', params, options)) as GetPromptResult
  }

  async readResource(uri: string, options: RequestOptions = {}): Promise<ReadResourceResult> {
    return (await this.request('resources/read', { uri }, options)) as ReadResourceResult
  }

  /** Completes an argument; `context` holds the arguments that are known already. */
  async complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    options: RequestOptions & { context?: Record<string, string> } = {},
  ): Promise<CompleteResult['completion']> {
    const { context, ...rest } = options
    const params = { ref, argument, ...(context && { context: { arguments: context } }) }
    const { completion } = (await this.request('completion/complete', params, rest)) as CompleteResult
    if (!Array.isArray(completion?.values)) {
      throw new McpError('bad_response', 'The answer to completion/complete has no values')
    }
    return completion
  }

  /** The log messages wanted from now on. Modern servers hear of it with each request. */
  async setLogLevel(level: LoggingLevel, options: RequestOptions = {}): Promise<void> {
    requireRequestOptions({ ...options, logLevel: level })
    this.#core.logLevel = level
    const { edge } = await this.#core.connection.acquire(options.signal)
    if (edge.era === 'legacy' && edge.discovery.capabilities.logging) {
      await this.request('logging/setLevel', { level }, options)
      this.#core.hasToldLevel = true
    }
  }

  /** Asks whether the server is there. The modern era has no `ping`; discovery does the same. */
  async ping(options: RequestOptions = {}): Promise<void> {
    const { edge } = await this.#core.connection.acquire(options.signal)
    await this.request(edge.era === 'legacy' ? 'ping' : 'server/discover', {}, { ...options, fresh: true })
  }

  async discover(options: RequestOptions = {}): Promise<Discovery> {
    return (await this.request('server/discover', {}, options)) as Discovery
  }

  /** Tells a legacy server that the roots have changed. Modern servers ask when they need them. */
  async rootsChanged(): Promise<void> {
    try {
      await this.#edge?.notify({ method: 'notifications/roots/list_changed' })
    } catch (thrown) {
      // A new session knows of no roots yet, and asks for them.
      if (!(thrown instanceof McpError) || thrown.code !== 'session_lost') throw thrown
    }
  }

  /** Sends any request and resolves with its result as it came; questions go to the handlers. */
  async request(method: string, params: JsonObject = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const { requests } = this.#core
    return resultOf(await requests.run({ method, params, options, ask: 'handlers' }), method)
  }

  /** The time limits of an exchange that middleware makes several requests of; dispose of it at the end. */
  deadlineOf(exchange: Exchange): Deadline {
    return this.#core.requests.deadlineOf(exchange)
  }

  /** Passes an exchange on as it is, without this client's handlers, middleware or identity. */
  readonly handle = (exchange: Exchange): Promise<Outcome> => this.#core.requests.pass(exchange)
}

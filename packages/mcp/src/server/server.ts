import type { Exchange, Handle, Middleware, Outcome, RequestContext, Served } from '../exchange/index.ts'
import { ASKS_IN_ROUNDS } from '../exchange/message-hints.ts'
import { composeMiddleware } from '../exchange/plain-exchange.ts'
import { complete, failure } from '../exchange/exchange.ts'
import { METHOD_NOT_FOUND, ProtocolError, type JsonObject, type NumberMode } from '../jsonrpc/index.ts'
import {
  LATEST_LEGACY,
  META,
  parseDuration,
  requireExtensionNames,
  type Implementation,
  type LoggingLevel,
  type Revision,
  type ServerCapabilities,
} from '../protocol/index.ts'
import { writesIntegers } from '../exchange/derive-exchange.ts'
import { callTool, type CallHost } from './call-tool.ts'
import { deriveCapabilities } from './capabilities.ts'
import { SubscriptionMeter } from '../exchange/server/subscription-meter.ts'
import { ChangeHub } from './change-hub.ts'
import { requireKnownOptions, requireServerName } from './check-definition.ts'
import { completeArgument } from './complete-argument.ts'
import {
  Configuration,
  globalConfiguration,
  exceptionPrinter,
  setting,
  type ExceptionContext,
} from './configuration.ts'
import type {
  AnyPrompt,
  AnyTool,
  PromptOptions,
  ResourceDefinition,
  TemplateDefinition,
  ToolOptions,
} from './definitions.ts'
import type { ChangeSource, TaskRunner } from './extension-hooks.ts'
import { findPrompt, getPrompt } from './get-prompt.ts'
import { answerText, answerValue } from './handle-message.ts'
import { instrument, instrumentationOf, isInstrumented } from './instrumentation.ts'
import { listen } from './listen.ts'
import { Lists } from './lists.ts'
import { forAuthors } from './middleware.ts'
import { QuestionError } from './question-error.ts'
import { readResource } from './read-resource.ts'
import type { Registration } from './registry.ts'
import type { ReplayWatcher } from './replay-watch.ts'
import { RequestStates } from './request-state.ts'
import type { RunOptions } from './run-handler.ts'
import { Sealer } from '../exchange/seal.ts'
import { implementationOf, type ServerOptions } from './server-options.ts'
import { MemoryStore, type Store } from './store.ts'
import { findTool, UnknownName, type CompiledTool } from './tool-registry.ts'
import { type Asking, isVisible, type Visibility } from './visibility.ts'

/** A handler for a method that an extension brings. */
export type MethodHandler = (exchange: Exchange) => Outcome | Promise<Outcome>

type ToolTypes<Tools> = {
  [K in keyof Tools]: Tools[K] extends { readonly '~types'?: infer T } ? NonNullable<T> : never
}

const TEN_MINUTES = 600_000

/** A registry of tools, prompts and resources for all connections. Nothing is built per request. */
export class Server<Tools = unknown> implements Served {
  /** Pins the revision of servers made afterwards; `null` takes the pin away. */
  static get protocolVersion(): Revision | null | undefined {
    return globalConfiguration().protocolVersion
  }

  static set protocolVersion(version: Revision | null) {
    globalConfiguration().protocolVersion = version
  }

  readonly info: Implementation
  readonly configuration: Configuration
  readonly revisions: readonly Revision[] | undefined
  readonly strict: boolean | undefined
  readonly answerTimeout: number | undefined
  readonly numbers: NumberMode | undefined
  readonly store: Store
  /** For typed clients; there is nothing here at run time. */
  declare readonly '~tools': ToolTypes<Tools>

  readonly #options: ServerOptions<Tools>
  readonly #hub = new ChangeHub()
  readonly #subscriptions: SubscriptionMeter
  readonly #lists: Lists
  readonly #methods = new Map<string, MethodHandler>()
  readonly #extensions: JsonObject = {}
  readonly #sources: ChangeSource[] = []
  readonly #middleware: Middleware[]
  readonly #run: RunOptions
  readonly #callHost: CallHost
  readonly #print = exceptionPrinter()
  #runTask: TaskRunner | undefined
  #tasks: ServerCapabilities['tasks']
  #respond: Handle

  constructor(options: ServerOptions<Tools>) {
    requireServerName(options.name)
    requireKnownOptions('server', options.name, options)
    requireExtensionNames(options.capabilities?.extensions)
    this.#options = options
    this.info = implementationOf(options)
    this.strict = options.strict
    this.numbers = options.numbers
    this.answerTimeout =
      options.answerTimeout === undefined ? undefined : parseDuration(options.answerTimeout)
    this.configuration =
      options.configuration instanceof Configuration
        ? options.configuration
        : new Configuration(options.configuration)
    const pinned = this.configuration.protocolVersion ?? globalConfiguration().protocolVersion
    this.revisions = options.revisions ?? (pinned ? [pinned] : undefined)
    this.store = options.store ?? new MemoryStore()
    this.#middleware = [...(options.middleware ?? [])]
    this.#run = {
      states: new RequestStates(
        new Sealer(secretsOf(options.secret)),
        this.store,
        options.requestStateTtlMs ?? TEN_MINUTES,
        options.numbers,
      ),
      alwaysReplay: options.alwaysReplay ?? false,
      watcher: options.onReplayWarning,
    }
    this.#callHost = {
      exact: options.numbers === 'exact',
      run: this.#run,
      report: (thrown, exchange, tool) =>
        this.#report(thrown, exchange, { toolName: tool.name, arguments: exchange.params.arguments }),
    }
    this.#subscriptions = new SubscriptionMeter(options.subscriptions)
    this.#lists = new Lists(options, this.info, (kind) => this.#hub.listChanged(kind))
    this.#lists.addAll(options)
    this.#respond = this.#compose()
  }

  /** Answers one exchange: what every edge calls. */
  get respond(): Handle {
    return this.#respond
  }

  /** What the legacy edge answers without asking us is instrumented like the rest. */
  get around(): Served['around'] {
    if (!isInstrumented(this.configuration)) return undefined
    return (exchange, run) => instrument(exchange, this.configuration, run)
  }

  /** For tests: reports handlers that are not safe to run again. Returns a function that stops it. */
  watchReplays(watcher: ReplayWatcher): () => void {
    const before = this.#run.watcher
    this.#run.watcher = watcher
    return () => {
      this.#run.watcher = before
    }
  }

  onInternalError = (thrown: unknown): void => {
    this.#tellReporter(thrown, { request: { method: 'unknown', params: {} } })
  }

  /** Answers a parsed JSON-RPC message with no transport; `undefined` for a notification. */
  async handle(message: unknown, context: RequestContext = {}): Promise<JsonObject | undefined> {
    const text = await answerValue(message, this, context)
    return text === undefined ? undefined : (JSON.parse(text) as JsonObject)
  }

  /** The same for text. */
  handleJson(text: string, context: RequestContext = {}): Promise<string | undefined> {
    return answerText(text, this, context)
  }

  tool<In = JsonObject, Args = In, Out = unknown>(
    name: string,
    options: ToolOptions<In, Args, Out>,
  ): Registration<ToolOptions<In, Args, Out>> {
    return this.#lists.addTool(options as AnyTool, name) as Registration<ToolOptions<In, Args, Out>>
  }

  prompt<Args = Record<string, string>>(
    name: string,
    options: PromptOptions<Args>,
  ): Registration<PromptOptions<Args>> {
    return this.#lists.addPrompt(options as AnyPrompt, name) as Registration<PromptOptions<Args>>
  }

  resource(options: ResourceDefinition): Registration<ResourceDefinition> {
    return this.#lists.addResource(options, undefined)
  }

  template(options: TemplateDefinition): Registration<TemplateDefinition> {
    return this.#lists.addTemplate(options, undefined)
  }

  /** Serves a method of an extension, and declares the extension when it is named. */
  method(name: string, handler: MethodHandler): this {
    this.#methods.set(name, handler)
    return this
  }

  extension(name: string, settings: JsonObject = {}): this {
    requireExtensionNames({ [name]: settings })
    this.#extensions[name] = settings
    return this
  }

  /** Gives an extension the calls of tools; `tasks` is what clients of 2025-11-25 are told of it. */
  runTasks(runner: TaskRunner, tasks?: ServerCapabilities['tasks']): this {
    this.#runTask = runner
    this.#tasks = tasks
    this.#lists.showTaskSupport(tasks !== undefined)
    return this
  }

  /** Adds a kind of change that clients can listen for. */
  announce(source: ChangeSource): this {
    this.#sources.push(source)
    return this
  }

  /** Whether a caller may see what an extension serves under these conditions. */
  isVisible(definition: Visibility, asking: Asking): boolean {
    return isVisible(definition, asking)
  }

  /** Wraps every method. The first one added is the outermost. */
  use(middleware: Middleware): this {
    this.#middleware.push(middleware)
    this.#respond = this.#compose()
    return this
  }

  get capabilities(): ServerCapabilities {
    return deriveCapabilities(
      { ...this.#lists.counts(), extensions: this.#extensions },
      this.#options.capabilities,
    )
  }

  notifyToolsListChanged(): void {
    this.#hub.listChanged('tools')
  }

  notifyPromptsListChanged(): void {
    this.#hub.listChanged('prompts')
  }

  notifyResourcesListChanged(): void {
    this.#hub.listChanged('resources')
  }

  /** Tells exactly the subscribers of the resource, in both eras. */
  notifyResourceUpdated(uri: string): void {
    this.#hub.resourceUpdated(uri)
  }

  /** A log message that belongs to no request; only legacy sessions can receive it. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const params = logger === undefined ? { level, data } : { level, logger, data }
    this.#hub.log({ method: 'notifications/message', params })
  }

  /** How many sessions and streams listen for changes. */
  get listeners(): number {
    return this.#hub.size
  }

  /** Ends every listening stream gracefully. */
  close(): void {
    this.#hub.close()
  }

  #compose(): Handle {
    const handle: Handle = (exchange) => this.#dispatch(exchange)
    const dispatch: Handle = (exchange) => this.#guarded(exchange, handle)
    const exact = this.numbers === 'exact' ? [writesIntegers] : []
    const links = [...exact, ...this.#middleware].map(forAuthors)
    const composed = composeMiddleware(links, dispatch)
    return (exchange) =>
      isInstrumented(this.configuration)
        ? instrument(exchange, this.configuration, () => composed(exchange))
        : composed(exchange)
  }

  #guarded(exchange: Exchange, handle: Handle): Outcome | Promise<Outcome> {
    try {
      const outcome = handle(exchange)
      if (outcome instanceof Promise) return outcome.catch((thrown) => this.#failed(thrown, exchange))
      this.#hub.tellChanges()
      return outcome
    } catch (thrown) {
      return this.#failed(thrown, exchange)
    }
  }

  #dispatch(exchange: Exchange): Outcome | Promise<Outcome> {
    const lists = this.#lists
    switch (exchange.method) {
      case 'tools/call': {
        if (!this.capabilitiesInclude('tools')) return notFound(exchange.method)
        const tool = findTool(lists.tools, exchange)
        exchange.checkHeaders?.(tool.headers)
        this.#note(exchange, { toolName: tool.name, toolArguments: exchange.params.arguments })
        return this.#call(tool, exchange)
      }
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        return lists.page(exchange) ?? notFound(exchange.method)
      case 'prompts/get': {
        if (!this.capabilitiesInclude('prompts')) return notFound(exchange.method)
        const prompt = findPrompt(lists.prompts, exchange)
        this.#note(exchange, { promptName: prompt.name })
        return getPrompt(prompt, exchange, this.#run)
      }
      case 'resources/read':
        return this.#read(exchange)
      case 'completion/complete':
        if (!this.capabilitiesInclude('completions')) return notFound(exchange.method)
        return completeArgument(exchange, { ...lists, run: this.#run })
      case 'server/discover':
        return this.#discover(exchange)
      case 'subscriptions/listen':
        return listen(exchange, {
          meter: this.#subscriptions,
          hub: this.#hub,
          sources: this.#sources,
          capabilities: this.capabilities,
        })
    }
    const handler = this.#methods.get(exchange.method)
    return handler ? handler(exchange) : notFound(exchange.method)
  }

  #call(tool: CompiledTool, exchange: Exchange): Outcome | Promise<Outcome> {
    const { task } = tool.definition
    const isPlain = task === undefined && exchange.params.task === undefined
    if (isPlain || this.#runTask === undefined) return callTool(tool, exchange, this.#callHost)
    const call: Handle = (asked) => callTool(tool, asked, this.#callHost)
    return this.#runTask(exchange, task, (asked) => this.#guarded(asked, call))
  }

  async #read(exchange: Exchange): Promise<Outcome> {
    if (!this.capabilitiesInclude('resources')) return notFound(exchange.method)
    const outcome = await readResource(exchange, {
      resources: this.#lists.resources,
      templates: this.#lists.templates,
      fallback: this.#options.resourcesReadHandler,
      run: this.#run,
    })
    this.#note(exchange, { resourceUri: exchange.params.uri as string })
    return outcome
  }

  capabilitiesInclude(kind: 'tools' | 'prompts' | 'resources' | 'completions'): boolean {
    return this.#lists.has(kind) || this.#options.capabilities?.[kind] !== undefined
  }

  #discover({ client }: Exchange): Outcome {
    const { instructions, cache } = this.#options
    const tasks = client.version === LATEST_LEGACY ? this.#tasks : undefined
    const result: JsonObject = {
      supportedVersions: this.revisions?.filter((r) => r >= '2026-07-28') ?? ['2026-07-28'],
      capabilities: tasks ? { ...this.capabilities, tasks } : this.capabilities,
      ...cache?.discover,
      _meta: {
        [META.serverInfo]: this.info,
        ...(client.version >= '2026-07-28' && { [ASKS_IN_ROUNDS]: true }),
      },
    }
    result.cacheScope ??= 'public'
    if (instructions !== undefined) result.instructions = instructions
    return complete(result)
  }

  #note(exchange: Exchange, facts: JsonObject): void {
    const data = instrumentationOf(exchange)
    if (data) Object.assign(data, facts)
  }

  #failed(thrown: unknown, exchange: Exchange): Outcome {
    if (thrown instanceof UnknownName) this.#note(exchange, { error: `${thrown.kind}_not_found` })
    if (thrown instanceof QuestionError) return failure(thrown.toProtocolError(exchange), thrown)
    if (!(thrown instanceof ProtocolError)) this.#report(thrown, exchange, factsOf(exchange))
    return failure(ProtocolError.from(thrown), thrown)
  }

  #report(thrown: unknown, exchange: Exchange, facts: Partial<ExceptionContext>): void {
    this.#note(exchange, { error: 'internal_error' })
    this.#tellReporter(thrown, { ...facts, request: { method: exchange.method, params: exchange.params } })
  }

  /** A reporter that throws changes nothing. */
  #tellReporter(thrown: unknown, context: ExceptionContext): void {
    try {
      const report = setting(this.configuration, 'exceptionReporter') ?? this.#print
      report(thrown, context)
    } catch {
      // There is no second reporter to tell about the first.
    }
  }
}

/** What the request is about; the reporter of a tool call is told more. */
function factsOf({ method, params }: Exchange): Partial<ExceptionContext> {
  if (method === 'tools/call') return { toolName: String(params.name), arguments: params.arguments }
  if (method === 'prompts/get') return { promptName: String(params.name), arguments: params.arguments }
  return method === 'resources/read' ? { resourceUri: String(params.uri) } : {}
}

function notFound(method: string): Outcome {
  return failure(new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`))
}

function secretsOf(secret: ServerOptions<unknown>['secret']): readonly (string | Uint8Array)[] {
  if (secret === undefined) return []
  return Array.isArray(secret)
    ? (secret as readonly (string | Uint8Array)[])
    : [secret as string | Uint8Array]
}

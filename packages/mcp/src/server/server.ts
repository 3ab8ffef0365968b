import type { Exchange, Handle, Middleware, Outcome, RequestContext, Served } from '../exchange/index.ts'
import { composeMiddleware } from '../exchange/plain-exchange.ts'
import { McpError, type JsonObject, type NumberMode } from '../jsonrpc/index.ts'
import {
  parseDuration,
  requireExtensionNames,
  type Implementation,
  type LoggingLevel,
  type Revision,
  type ServerCapabilities,
} from '../protocol/index.ts'
import { deriveExchange, writesIntegers } from '../exchange/derive-exchange.ts'
import { deriveCapabilities } from './registry/capabilities.ts'
import { SubscriptionMeter } from '../exchange/server/subscription-meter.ts'
import { ChangeHub } from './registry/change-hub.ts'
import {
  requireMiddleware,
  requireMountable,
  requirePrefix,
  requireServerName,
} from './registry/check-definition.ts'
import { requireOptions, requireSettings } from './registry/check-options.ts'
import { Configuration, globalConfiguration } from './configuration.ts'
import type {
  AnyPrompt,
  AnyTemplate,
  AnyTool,
  ArgumentsOf,
  PlainPrompt,
  PlainTool,
  PlainValue,
  PromptArgumentOptions,
  PromptArguments,
  PromptDefinition,
  ResourceDefinition,
  Structured,
  TemplateDefinition,
  ToolDefinition,
} from './definitions/definitions.ts'
import type { ChangeSource, TaskRunner } from './definitions/extension-hooks.ts'
import { answerText, answerValue } from './handle-message.ts'
import { Dispatch, type DispatchHost, type MethodHandler } from './dispatch.ts'
import { instrument, isInstrumented, Reporting } from './instrumentation.ts'
import { Lists } from './registry/lists.ts'
import { forAuthors } from './middleware.ts'
import type { Mountable, MountedPrompts, MountedTools } from './mounting/mountable.ts'
import type { Mounts } from './mounting/mounts.ts'
import type { Registration } from './registry/registry.ts'
import type { ReplayWatcher } from './questions/replay-watch.ts'
import { RequestStates } from './questions/request-state.ts'
import type { RunOptions } from './running/run-handler.ts'
import { implementationOf, type ServerOptions } from './definitions/server-options.ts'
import { MemoryStore, type Store } from './store.ts'
import { type Asking, isVisible, type Visibility } from './definitions/visibility.ts'

/** A registry of tools, prompts and resources for all connections. Nothing is built per request. */
export class Server<Tools = unknown, Prompts = unknown> implements Served {
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
  declare readonly '~tools': Tools
  declare readonly '~prompts': Prompts

  readonly #options: ServerOptions
  readonly #hub = new ChangeHub()
  readonly #lists: Lists
  readonly #methods = new Map<string, MethodHandler>()
  readonly #extensions: JsonObject = {}
  readonly #sources: ChangeSource[] = []
  readonly #middleware: Middleware[]
  readonly #run: RunOptions
  readonly #tasks: DispatchHost['tasks'] = {}
  readonly #reporting: Reporting
  readonly #mounts = new Map<string, Mountable>()
  #mounting: Mounts | undefined
  #mounted: ServerCapabilities = {}
  readonly #dispatch: Dispatch
  #respond: Handle

  constructor(options: ServerOptions) {
    requireServerName(options?.name)
    requireOptions('server', options.name, options)
    requireSettings(options)
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
    this.#middleware.forEach(requireMiddleware)
    this.#run = {
      states: new RequestStates(options, this.store),
      store: this.store,
      exact: options.numbers === 'exact',
      alwaysReplay: options.alwaysReplay ?? false,
      watcher: options.onReplayWarning,
    }
    this.#lists = new Lists(options, this.info, (kind) => this.#hub.listChanged(kind))
    this.#lists.addAll(options)
    this.#reporting = new Reporting(this.configuration)
    this.#dispatch = new Dispatch({
      options,
      info: this.info,
      revisions: this.revisions,
      lists: this.#lists,
      hub: this.#hub,
      meter: new SubscriptionMeter(options.subscriptions),
      sources: this.#sources,
      methods: this.#methods,
      run: this.#run,
      reporting: this.#reporting,
      tasks: this.#tasks,
      capabilities: () => this.capabilities,
    })
    this.#respond = this.#compose()
  }

  /** Answers one exchange: what every edge calls. */
  get respond(): Handle {
    return this.#respond
  }

  /** Instruments the requests that the legacy edge answers by itself. */
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

  get onInternalError(): NonNullable<Served['onInternalError']> {
    return this.#reporting.report
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

  /** Registers a tool; with its name alone, gives what changes or removes it. */
  tool<Name extends string, In = JsonObject, Args = In, Returned = unknown>(
    name: Name,
    options: PlainTool<In, Args, Returned>,
  ): Server<Tools & Record<Name, { input: In; output: PlainValue<Returned> }>, Prompts>
  tool<Name extends string, In = JsonObject, Args = In, Out = Structured>(
    name: Name,
    options: ToolDefinition<In, Args, Out>,
  ): Server<Tools & Record<Name, { input: In; output: Out }>, Prompts>
  tool(name: string): Registration<AnyTool>
  tool(name: string, options?: PlainTool | AnyTool): unknown {
    if (!options) return this.#lists.registration('tool', name)
    this.#lists.addTool(options as AnyTool, name)
    return this
  }

  prompt<Name extends string, const Declared extends PromptArguments = Record<string, PromptArgumentOptions>>(
    name: Name,
    options: PlainPrompt<Declared>,
  ): Server<Tools, Prompts & Record<Name, { input: ArgumentsOf<Declared> }>>
  prompt<Name extends string, In = Record<string, string>, Args = In>(
    name: Name,
    options: PromptDefinition<In, Args>,
  ): Server<Tools, Prompts & Record<Name, { input: In }>>
  prompt(name: string): Registration<AnyPrompt>
  prompt(name: string, options?: PlainPrompt<PromptArguments> | AnyPrompt): unknown {
    if (!options) return this.#lists.registration('prompt', name)
    this.#lists.addPrompt(options as AnyPrompt, name)
    return this
  }

  resource(options: ResourceDefinition): this
  resource(uri: string): Registration<ResourceDefinition>
  resource(options: ResourceDefinition | string): unknown {
    if (typeof options === 'string') return this.#lists.registration('resource', options)
    this.#lists.addResource(options, undefined)
    return this
  }

  template<const Uri extends string>(options: TemplateDefinition<Uri>): this
  template(uriTemplate: string): Registration<AnyTemplate>
  template(options: AnyTemplate | string): unknown {
    if (typeof options === 'string') return this.#lists.registration('template', options)
    this.#lists.addTemplate(options, undefined)
    return this
  }

  /**
   * Offers what another server has, under a prefix: its tool `add` as `notes_add`, its URIs as `notes+file:///a`. Takes a
   * server, a client of one, or an API of `gantry/openapi`.
   */
  mount<const Prefix extends string, Other extends Mountable>(
    prefix: Prefix,
    other: Other,
  ): Server<Tools & MountedTools<Prefix, Other>, Prompts & MountedPrompts<Prefix, Other>> {
    requirePrefix(prefix, this.#mounts)
    requireMountable(other)
    if (other instanceof Server && other.#reaches(this))
      throw new McpError('invalid_definition', 'A server cannot be mounted in itself')
    this.#mounts.set(prefix, other)
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.#hub.listChanged(kind)
    return this as never
  }

  #reaches(server: unknown): boolean {
    return (
      this === server ||
      [...this.#mounts.values()].some((one) => one instanceof Server && one.#reaches(server))
    )
  }

  /** Loaded when something is mounted. */
  async #handleMounted(exchange: Exchange): Promise<Outcome> {
    const { Mounts } = await import('./mounting/mounts.ts')
    this.#mounting ??= new Mounts({
      derive: deriveExchange,
      has: (kind, name) => this.#lists[kind].get(name) !== undefined,
      report: this.#reporting.report,
    })
    for (const [prefix, other] of this.#mounts) this.#mounting.add(prefix, other)
    if (exchange.method === 'subscriptions/listen')
      this.#mounted = await this.#mounting.capabilities(exchange)
    return this.#mounting.handle(exchange, (own) => this.#dispatch.handle(own))
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

  /** Gives an extension the calls of tools. `tasks` is the capability that clients of 2025-11-25 get. */
  runTasks(runner: TaskRunner, tasks?: ServerCapabilities['tasks']): this {
    this.#tasks.runTask = runner
    this.#tasks.capability = tasks
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
    requireMiddleware(middleware)
    this.#middleware.push(middleware)
    this.#respond = this.#compose()
    return this
  }

  get capabilities(): ServerCapabilities {
    const found = { ...this.#lists.counts(), extensions: this.#extensions }
    return { ...this.#mounted, ...deriveCapabilities(found, this.#options.capabilities) }
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

  /** The user is done with a page: the client that was sent there by `UrlElicitationRequired` goes on at once. */
  notifyElicitationComplete(elicitationId: string): void {
    void this.#dispatch.visits().then((visits) => visits.complete(elicitationId))
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
    const handle: Handle = (exchange) =>
      this.#mounts.size > 0 ? this.#handleMounted(exchange) : this.#dispatch.handle(exchange)
    const dispatch: Handle = (exchange) => this.#dispatch.guarded(exchange, handle)
    const exact = this.numbers === 'exact' ? [writesIntegers] : []
    const links = [...exact, ...this.#middleware].map(forAuthors)
    const composed = composeMiddleware(links, dispatch)
    return (exchange) =>
      isInstrumented(this.configuration)
        ? instrument(exchange, this.configuration, () => composed(exchange))
        : composed(exchange)
  }
}

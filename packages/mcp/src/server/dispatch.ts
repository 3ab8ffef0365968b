import { complete, methodNotFound } from '../exchange/exchange.ts'
import type { Complete, Exchange, Handle, Outcome } from '../exchange/index.ts'
import { ASKS_IN_ROUNDS } from '../exchange/message-hints.ts'
import type { SubscriptionMeter } from '../exchange/server/subscription-meter.ts'
import type { JsonObject } from '../jsonrpc/index.ts'
import {
  isModern,
  LATEST_LEGACY,
  LATEST_MODERN,
  META,
  type Implementation,
  type Revision,
  type ServerCapabilities,
} from '../protocol/index.ts'
import type { ChangeSource, TaskRunner } from './definitions/extension-hooks.ts'
import { cacheMembers, type ServerOptions } from './definitions/server-options.ts'
import { isVisible } from './definitions/visibility.ts'
import type { Reporting } from './instrumentation.ts'
import type { ChangeHub } from './registry/change-hub.ts'
import { listen } from './registry/listen.ts'
import type { Lists } from './registry/lists.ts'
import { findTool, UnknownName, type CompiledTool } from './registry/tool-registry.ts'
import { Context } from './questions/context.ts'
import { callTool, type CallHost } from './running/call-tool.ts'
import { missingCapability } from './questions/require-capability.ts'
import { UrlElicitationRequired } from './questions/url-required.ts'
import type { PageVisits } from './running/visit-pages.ts'
import { findPrompt, getPrompt } from './running/get-prompt.ts'
import { readResource } from './running/read-resource.ts'
import type { RunOptions } from './running/run-handler.ts'

/** A handler for a method that an extension brings. */
export type MethodHandler = (exchange: Exchange) => Outcome | Promise<Outcome>

/** The parts of a server that answers are made of. */
export interface DispatchHost {
  readonly options: ServerOptions
  readonly info: Implementation
  readonly revisions: readonly Revision[] | undefined
  readonly lists: Lists
  readonly hub: ChangeHub
  readonly meter: SubscriptionMeter
  readonly sources: readonly ChangeSource[]
  /** Methods of extensions. */
  readonly methods: ReadonlyMap<string, MethodHandler>
  readonly run: RunOptions
  readonly reporting: Reporting
  /** Makes tasks of calls, and has the capability that clients of 2025-11-25 get. */
  readonly tasks: { runTask?: TaskRunner; capability?: ServerCapabilities['tasks'] }
  capabilities(): ServerCapabilities
}

/** Answers requests by their method. */
export class Dispatch {
  readonly #host: DispatchHost
  readonly #callHost: CallHost
  #visits: PageVisits | undefined

  constructor(host: DispatchHost) {
    this.#host = host
    this.#callHost = {
      run: host.run,
      report: host.reporting.report,
    }
  }

  /** Runs a handler and turns its errors into outcomes. */
  guarded(exchange: Exchange, handle: Handle): Outcome | Promise<Outcome> {
    const { hub } = this.#host
    try {
      const outcome = handle(exchange)
      if (outcome instanceof Promise) return outcome.catch((thrown) => this.#failed(thrown, exchange, handle))
      hub.tellChanges()
      return outcome
    } catch (thrown) {
      return this.#failed(thrown, exchange, handle)
    }
  }

  #failed(thrown: unknown, exchange: Exchange, handle: Handle): Outcome | Promise<Outcome> {
    if (!(thrown instanceof UrlElicitationRequired)) return this.#host.reporting.failed(thrown, exchange)
    return this.visits()
      .then((visits) => visits.required(thrown, exchange, async () => handle(exchange)))
      .catch((error) => this.#host.reporting.failed(error, exchange))
  }

  /** Loaded by the first handler that wants a page visited. */
  async visits(): Promise<PageVisits> {
    const { run, hub } = this.#host
    const { PageVisits } = await import('./running/visit-pages.ts')
    this.#visits ??= new PageVisits({
      states: run.states,
      hub,
      knowsError: ({ client }) => client.version === LATEST_LEGACY,
      lacks: (exchange) => {
        const missing = missingCapability({ method: 'elicitation/create', params: { mode: 'url' } }, exchange)
        return missing?.toProtocolError(exchange)
      },
    })
    return this.#visits
  }

  /** Answers a request by its method. */
  handle(exchange: Exchange): Outcome | Promise<Outcome> {
    const { lists, reporting } = this.#host
    switch (exchange.method) {
      case 'tools/call': {
        if (!this.#has('tools')) return methodNotFound(exchange.method)
        const tool = findTool(lists.tools, exchange)
        exchange.checkHeaders?.(tool.headers)
        reporting.note(exchange, { toolName: tool.name, toolArguments: exchange.params.arguments })
        return this.#call(tool, exchange)
      }
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
        return this.#list(exchange) ?? methodNotFound(exchange.method)
      case 'prompts/get': {
        if (!this.#has('prompts')) return methodNotFound(exchange.method)
        const prompt = findPrompt(lists.prompts, exchange)
        reporting.note(exchange, { promptName: prompt.name })
        return getPrompt(prompt, exchange, this.#host.run)
      }
      case 'resources/read':
        return this.#read(exchange)
      case 'completion/complete':
        if (!this.#has('completions')) return methodNotFound(exchange.method)
        return this.#complete(exchange)
      case 'server/discover':
        return this.#discover(exchange)
      case 'subscriptions/listen':
        return listen(exchange, { ...this.#host, capabilities: this.#host.capabilities() })
    }
    const handler = this.#host.methods.get(exchange.method)
    return handler ? handler(exchange) : methodNotFound(exchange.method)
  }

  #list(exchange: Exchange): Complete | Promise<Outcome> | undefined {
    const { lists, options } = this.#host
    const handler = exchange.method === 'resources/list' ? options.resourcesListHandler : undefined
    if (!handler) return lists.page(exchange)
    return import('./running/list-resources.ts').then(({ listResources }) =>
      listResources(exchange, {
        handler,
        registered: () => lists.page(exchange),
        context: (questions) => new Context(exchange, questions),
      }),
    )
  }

  async #complete(exchange: Exchange): Promise<Outcome> {
    const { lists, run } = this.#host
    const { completeArgument } = await import('./running/complete-argument.ts')
    return completeArgument(exchange, {
      ...lists,
      isVisible,
      unknown: (kind, name) => new UnknownName(kind, name),
      context: (questions) => new Context(exchange, () => questions, run),
    })
  }

  #call(tool: CompiledTool, exchange: Exchange): Outcome | Promise<Outcome> {
    const { task } = tool.definition
    const isPlain = task === undefined && exchange.params.task === undefined
    const { runTask } = this.#host.tasks
    if (isPlain || runTask === undefined) return callTool(tool, exchange, this.#callHost)
    const call: Handle = (asked) => callTool(tool, asked, this.#callHost)
    return runTask(exchange, task, (asked) => this.guarded(asked, call))
  }

  async #read(exchange: Exchange): Promise<Outcome> {
    const { lists, options, reporting, run } = this.#host
    if (!this.#has('resources')) return methodNotFound(exchange.method)
    const outcome = await readResource(exchange, { ...lists, fallback: options.resourcesReadHandler, run })
    reporting.note(exchange, { resourceUri: exchange.params.uri as string })
    return outcome
  }

  #has(kind: 'tools' | 'prompts' | 'resources' | 'completions'): boolean {
    return this.#host.lists.has(kind) || this.#host.options.capabilities?.[kind] !== undefined
  }

  #discover({ client }: Exchange): Outcome {
    const { options, info, revisions, tasks: served } = this.#host
    const { instructions } = options
    const capabilities = this.#host.capabilities()
    const tasks = client.version === LATEST_LEGACY ? served.capability : undefined
    const result: JsonObject = {
      supportedVersions: revisions?.filter(isModern) ?? [LATEST_MODERN],
      capabilities: tasks ? { ...capabilities, tasks } : capabilities,
      ...cacheMembers(options.cache?.discover),
      _meta: {
        [META.serverInfo]: info,
        ...(isModern(client.version) && { [ASKS_IN_ROUNDS]: true }),
      },
    }
    result.cacheScope ??= 'public'
    if (instructions !== undefined) result.instructions = instructions
    return complete(result)
  }
}

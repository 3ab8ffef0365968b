import {
  cancellationOf,
  complete,
  INVALID_PARAMS,
  ProtocolError,
  type Continuations,
  type Exchange,
  type Handle,
  type InputRequired,
  type JsonObject,
  type Outcome,
  type Sealer,
  type SubscriptionMeter,
} from '@gantry/mcp/exchange'
import { declaresTasks, type TaskDesk } from '@gantry/mcp/extensions/tasks'
import type { Implementation } from '@gantry/mcp/server'
import type { CatalogView } from '../catalog/catalog-view.ts'
import type { MergedEntry } from '../catalog/merged.ts'
import { isSame, type GatewayModel } from '../model/index.ts'
import type { Caller } from '../policy/permissions-of.ts'
import type { Store } from '../store/index.ts'
import type { Target } from '../targets/target.ts'
import type { Admission } from './admission.ts'
import { askAndAwait, mustAwaitTasks } from './awaited-task.ts'
import type { CallerView } from './caller-view.ts'
import { accepts, callAsLegacyTask, needsLegacyTask, resumeCall } from './legacy-task.ts'
import { ListChanges } from './list-changes.ts'
import { listen } from './listen.ts'
import { logFailure } from './log-failure.ts'
import { CallerTasks } from './caller-tasks.ts'
import { asOrdinaryCall, createOwnTasks, isForeignTaskMethod, isTaskMethod } from './own-tasks.ts'
import { Pages } from './pages.ts'
import { permittedOutcome } from './permitted-result.ts'
import { toTarget, withParams } from './relayed-exchange.ts'
import { RelayedStates, type RelayedState } from './relayed-states.ts'
import { methodNotFound, Resolver, type Destination } from './resolver.ts'
import { TaskIds } from './task-ids.ts'
import { toFailure, withoutSecrets } from './to-failure.ts'
import { publicTask, toPublic } from './to-public.ts'
import { watchedExchange } from './watched-exchange.ts'
import type { ExchangeRecord } from '../telemetry/exchange-record.ts'
import type { Log } from '../telemetry/log.ts'
import type { WireView } from '../telemetry/wire-view.ts'

export interface RelayOptions {
  /** The one that holds now. */
  readonly model: GatewayModel
  /** The target that this endpoint is for; empty for the common one. */
  readonly endpoint: string
  readonly info: Implementation
  /** The targets that this endpoint serves, under the names that its clients see. */
  readonly catalog: CatalogView
  readonly continuations: Continuations
  readonly sealer: Sealer
  readonly view: WireView
  /** Bounds the requests under way on all endpoints together. */
  readonly admission: Admission
  /** Bounds what clients listen for on all endpoints together. */
  readonly subscriptions: SubscriptionMeter
  /** Takes configured secrets out of a text. */
  readonly store: Store
  readonly scrub: (text: string) => string
  readonly log: Log
  /** Told what went wrong where no caller could be. */
  readonly onError: (thrown: unknown) => void
}

/** Answers exchanges by asking the targets: what stands between the gateway's server edge and its client edges. */
export class Relay {
  readonly changes: ListChanges
  readonly #options: RelayOptions
  readonly #resolver: Resolver
  #pages: Pages
  #model: GatewayModel
  readonly #states: RelayedStates
  readonly #tasks: TaskDesk
  readonly #callerTasks: CallerTasks

  constructor(options: RelayOptions) {
    const currentModel = (): GatewayModel => this.#model
    this.#model = options.model
    this.#options = {
      ...options,
      get model() {
        return currentModel()
      },
    }
    this.changes = new ListChanges()
    options.catalog.onChanged = (changes) => this.changes.announce(changes, (caller) => this.viewOf(caller))
    this.#resolver = new Resolver(this.#options)
    this.#pages = new Pages(this.#options)
    this.#tasks = createOwnTasks(options.store, options.onError)
    this.#callerTasks = new CallerTasks(new TaskIds(options), options.catalog)
    this.#states = new RelayedStates({ ...options, ttl: options.model.server.limits.parkedFor })
  }

  /** Policy and limits of a new configuration hold from the next message on. */
  setModel(model: GatewayModel): void {
    const { policy } = this.#model
    this.#model = model
    this.#pages = new Pages(this.#options)
    if (isSame(policy, model.policy)) return
    this.changes.review(
      (caller) => this.#resolver.viewOf(caller, policy),
      (caller) => this.viewOf(caller),
    )
  }

  readonly respond: Handle = async (exchange) => {
    // What lasts as long as its client wants is no work under way.
    if (exchange.method === 'subscriptions/listen') return this.#answer(exchange)
    const { admission } = this.#options
    let caller: string
    try {
      const entered = admission.enter(exchange)
      caller = entered instanceof Promise ? await entered : entered
    } catch (thrown) {
      return toFailure(thrown)
    }
    const cancellation = cancellationOf(exchange)
    let isIn = true
    const leave = (): void => {
      if (isIn) admission.leave(caller)
      isIn = false
    }
    // A caller that is gone waits for nothing. A target that works on all the same keeps its own slot taken.
    cancellation.onAbort(leave)
    try {
      return await this.#answer(exchange)
    } finally {
      cancellation.offAbort(leave)
      leave()
    }
  }

  async #answer(exchange: Exchange): Promise<Outcome> {
    const { view } = this.#options
    const record = view.begin(exchange)
    let outcome: Outcome
    try {
      outcome = await this.#dispatch(exchange, record)
    } catch (thrown) {
      outcome = toFailure(thrown)
    }
    view.end(record, outcome, exchange)
    if (outcome.type === 'error') logFailure(this.#options.log, record, outcome)
    return outcome
  }

  #dispatch(exchange: Exchange, record: ExchangeRecord): Outcome | Promise<Outcome> {
    switch (exchange.method) {
      case 'server/discover':
        return this.#discover(exchange)
      case 'tools/list':
      case 'prompts/list':
      case 'resources/list':
      case 'resources/templates/list':
      case 'skills/list':
        return this.#pages.page(exchange, this.viewOf(exchange))
      case 'subscriptions/listen':
        return this.#listen(exchange)
    }
    if (isTaskMethod(exchange)) return this.#task(exchange, record)
    return this.#forward(exchange, record)
  }

  async #listen(exchange: Exchange): Promise<Outcome> {
    const close = this.#options.subscriptions.open(exchange)
    try {
      return await this.#listenCounted(exchange)
    } finally {
      close()
    }
  }

  async #listenCounted(exchange: Exchange): Promise<Outcome> {
    // What may be listened to is known when the targets have been asked.
    const view = this.viewOf(exchange)
    await view.ready()
    return listen(exchange, {
      changes: this.changes,
      resolver: this.#resolver,
      view,
      tasks: this.#tasks,
      callerTasks: this.#callerTasks,
    })
  }

  async #task(exchange: Exchange, record: ExchangeRecord): Promise<Outcome> {
    if (isForeignTaskMethod(exchange)) {
      throw methodNotFound(exchange.method)
    }
    const task = await this.#callerTasks.require(exchange, this.#resolver)
    const { target, kind, name } = task
    const params = { ...exchange.params, taskId: task.own }
    if (task.isDesk) {
      const outcome = await this.#tasks.handle(withParams(exchange, params))
      return outcome.type === 'complete' ? complete(publicTask(outcome.result, task.shown)) : outcome
    }
    const safe = exchange.method !== 'tasks/update'
    const uris = this.#resolver.urisOf(target)
    return this.#relay(exchange, { target, params, uris, safe, object: { kind, name }, task }, record)
  }

  /** What this endpoint is for a caller, under the rules that hold now. */
  viewOf(caller: Caller): CallerView {
    return this.#resolver.viewOf(caller)
  }

  async #discover(exchange: Exchange): Promise<Outcome> {
    const view = this.viewOf(exchange)
    await view.ready()
    const result: JsonObject = {
      supportedVersions: ['2026-07-28'],
      capabilities: view.capabilities(),
      ttlMs: 0,
      cacheScope: 'private',
      _meta: view.meta(),
    }
    const instructions = view.instructions(this.#options.model.server.instructions)
    if (instructions !== undefined) result.instructions = instructions
    return complete(result)
  }

  /** Nothing is waited for where nothing has to be: most requests name something that is known. */
  #forward(exchange: Exchange, record: ExchangeRecord): Outcome | Promise<Outcome> {
    const found = this.#resolver.resolve(exchange)
    return found instanceof Promise
      ? found.then((destination) => this.#forwardTo(destination, exchange, record))
      : this.#forwardTo(found, exchange, record)
  }

  #forwardTo(
    destination: Destination,
    exchange: Exchange,
    record: ExchangeRecord,
  ): Outcome | Promise<Outcome> {
    const { taskSupport, target } = destination
    // Clients that do not know tasks wait for the result instead.
    const isPlain =
      taskSupport === undefined || (!declaresTasks(exchange.client) && target.model.tasks === 'wait')
    return isPlain ? this.#relay(exchange, destination, record) : this.#runTask(destination, exchange, record)
  }

  /** A call of an older server, which may become a task of the gateway's own. */
  async #runTask(destination: Destination, exchange: Exchange, record: ExchangeRecord): Promise<Outcome> {
    let answer: Outcome | undefined
    const relay = async (asked: Exchange): Promise<Outcome> => {
      answer = await this.#relay(asked, destination, record).catch(toFailure)
      return answer
    }
    const outcome = await this.#tasks.run(exchange, destination.taskSupport, relay)
    const isDesk = outcome.type === 'task' && outcome !== answer
    return isDesk
      ? this.#callerTasks.present(outcome, destination, exchange, { isDesk: true, server: '', process: '' })
      : outcome
  }

  async #relay(exchange: Exchange, destination: Destination, record: ExchangeRecord): Promise<Outcome> {
    const { target } = destination
    const { requestState } = exchange.params
    const state =
      requestState === undefined ? undefined : await this.#states.read(requestState, target, exchange)
    const own = asOrdinaryCall(exchange, destination.params)
    const token = state && 'token' in state ? state.token : undefined
    const params = state ? { ...own, requestState: 'token' in state ? state.token : state.state } : own
    record.target = target.name
    const asked = toTarget(
      this.#options.view.watched && record.keeps
        ? watchedExchange(exchange, record, this.#options.view)
        : exchange,
      params,
      destination,
      this.#resolver,
    )
    this.#options.view.alias(asked, record)
    record.asked = asked
    // The configuration may put another server in its place before it answers.
    const server = target.serverOf(asked)
    const outcome =
      token === undefined ? await this.#ask(asked, destination) : await this.#resume(asked, target, token)
    const permitted = toPublic(permittedOutcome(outcome, destination, exchange), destination, exchange)
    const shown = withoutSecrets(permitted, this.#options.scrub)
    if (shown.type === 'task') {
      const made = { isDesk: false, server, process: target.processOf(asked) }
      return this.#callerTasks.present(shown, destination, exchange, made)
    }
    return shown.type === 'input_required' ? this.#toClient(shown, target, server, exchange) : shown
  }

  #ask(asked: Exchange, destination: Destination): Promise<Outcome> {
    const { target } = destination
    const capabilities = this.#options.catalog.capabilitiesOf(target)
    if (needsLegacyTask(destination, capabilities)) return callAsLegacyTask(asked, destination, capabilities)
    if (mustAwaitTasks(asked, capabilities)) return askAndAwait(asked, destination)
    return target.handle(asked, destination)
  }

  /** The upstream call is still open and waits for its answer; no new request is made. */
  async #resume(asked: Exchange, target: Target, token: string): Promise<Outcome> {
    const call = this.#options.continuations.take(token)
    if (!call || !accepts(call, asked)) {
      call?.expire()
      throw new ProtocolError(INVALID_PARAMS, 'Invalid requestState: the call it belongs to has ended')
    }
    return resumeCall(call, asked, target)
  }

  async #toClient(
    outcome: InputRequired,
    target: Target,
    server: string,
    exchange: Exchange,
  ): Promise<Outcome> {
    const state = outcome.requestState
    if (state === undefined) return outcome
    const isParked = this.#options.continuations.find(state) !== undefined
    const content: RelayedState = isParked ? { token: state } : { state, server }
    return { ...outcome, requestState: await this.#states.write(content, target, exchange) }
  }

  /** Cancels what runs here on somebody's behalf, and tells listeners that there is nothing more to hear. */
  close(): void {
    this.#tasks.close('The gateway is shutting down')
    this.changes.close()
  }

  /** The mirrored arguments of a tool, for the HTTP front (2026-07-28, `x-mcp-header`). */
  entryOf(name: string, caller: Caller): MergedEntry | undefined {
    return this.viewOf(caller).find('tools', name)
  }
}

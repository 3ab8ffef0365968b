import {
  withoutOlderTasks,
  type Budget,
  type Continuations,
  type Handle,
  type Sealer,
  type Served,
  type SubscriptionMeter,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { EndpointCatalog } from './catalog/endpoint-catalog.ts'
import { createChain, type ChainServices, type SharedServices } from './chain/chain.ts'
import { ListChanges } from './chain/listen/list-changes.ts'
import { PermittedCalls } from './chain/policy/permitted-calls.ts'
import { Policy } from './chain/policy/caller-catalog.ts'
import { Resolver } from './chain/resolve/resolver.ts'
import { CallerTasks, createOwnTasks } from './chain/tasks/caller-tasks.ts'
import { TaskIds } from './chain/tasks/task-ids.ts'
import { isSame, type GatewayModel } from './model/index.ts'
import { Relay } from './relay/relay.ts'
import type { Store } from './store/index.ts'

export interface EndpointOptions extends SharedServices {
  /** Bounds what clients listen for. */
  readonly subscriptions: SubscriptionMeter
  readonly model: GatewayModel
  /** The target that the endpoint is for; empty for the common endpoint. */
  readonly name: string
  /** The targets that it serves, under the names that its clients see. */
  readonly catalog: EndpointCatalog
  readonly continuations: Continuations
  /** Counts the questions that clients have not answered, on all endpoints together. */
  readonly questions: Budget
  readonly sealer: Sealer
  /** How long a client has to come back with its answers, in milliseconds. */
  readonly parkedFor: number
  readonly store: Store
  /** Hears of errors that no caller can be told about. */
  readonly onError: (thrown: unknown) => void
}

/** What server edges serve (all targets, one target, or a view): a chain, and the services of its links. */
export class Endpoint implements Served {
  readonly info: Implementation
  /** Numbers that pass through keep their digits. */
  readonly numbers = 'source'
  /** Tasks of older targets belong to connections that clients share. */
  readonly withoutOlderTasks: typeof withoutOlderTasks = withoutOlderTasks
  readonly questions: Budget
  readonly name: string
  readonly policy: Policy
  /** Clients that listen for changes of its lists. */
  readonly changes: ListChanges = new ListChanges()
  readonly onInternalError: (error: unknown) => void
  readonly onSessionEnd: Served['onSessionEnd']
  /** The compiled chain. */
  respond: Handle
  readonly #services: ChainServices

  constructor(options: EndpointOptions) {
    const { model, name, catalog, sealer, onError } = options
    this.info = options.info
    this.questions = options.questions
    this.name = name
    this.onInternalError = onError
    this.onSessionEnd = options.tracer?.sessionEnded
    this.policy = new Policy(catalog, model.policy, name, options)
    const tasks = new CallerTasks(new TaskIds({ sealer, endpoint: name }), catalog)
    this.#services = {
      ...options,
      changes: this.changes,
      policy: this.policy,
      counts: new PermittedCalls(options.store),
      tasks,
      ownTasks: createOwnTasks(options.store, onError),
      resolver: new Resolver({ catalog, tasks }),
      respond: (origin) => this.respond(origin),
      relay: new Relay({ ...options, endpoint: name }),
    }
    this.respond = createChain(this.#services, model, this)
    catalog.onChanged = (changes) => this.changes.announce(changes, (caller) => this.policy.visibleTo(caller))
  }

  /** Tasks that the gateway runs here for callers of this endpoint. */
  get ownTasks(): ChainServices['ownTasks'] {
    return this.#services.ownTasks
  }

  /** A new configuration holds from the next message on. */
  setModel(model: GatewayModel): void {
    const { rules } = this.policy
    this.policy.rules = model.policy
    this.respond = createChain(this.#services, model, this)
    if (isSame(rules, model.policy)) return
    this.changes.review(
      (caller) => this.policy.visibleTo(caller, rules),
      (caller) => this.policy.visibleTo(caller),
    )
  }

  /** Cancels the tasks that run here, and tells listeners that there is nothing more to hear. */
  close(): void {
    this.#services.ownTasks.close('The gateway is shutting down')
    this.changes.close()
  }
}

import { randomBytes } from 'node:crypto'
import {
  complete,
  deriveExchange,
  jsonReader,
  writeJson,
  type Exchange,
  type Handle,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import { TASKS_EXTENSION, type TaskService } from '@gantry/mcp/extensions/tasks'
import type { Rows, Store } from '../../store/index.ts'
import { absent } from '../absent.ts'
import { isOverLimit } from '../rates/over-limit.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { CallerTasks } from '../tasks/caller-tasks.ts'
import { callOf, type Approval } from './approval.ts'
import type { Approvals } from './approvals.ts'
import * as say from './answers.ts'

export interface ParkedCallsHost {
  readonly store: Store
  readonly approvals: Approvals
  readonly ownTasks: TaskService
  readonly tasks: CallerTasks
  /** The way of a request through the endpoint from its beginning. */
  readonly respond: Handle
}

/** A call whose client follows it as a task. It is made when its client asks for it and it is approved. */
interface ParkedCall {
  readonly approval: string
  readonly askedAt: number
  readonly expiresAt: number
  readonly keptFor: number
  /** In the caller's names. */
  readonly params: JsonObject
  /** The task that makes the call, once it is made. */
  readonly task?: string
  /** The gateway that makes it, where it is one of several. */
  readonly at?: string | undefined
}

const PREFIX = 'parked-'
const POLL = 2_000
/** How long the result can be fetched after the call was made. */
const KEPT_FOR = 60 * 60 * 1000
const readJson = jsonReader('source')

/**
 * Calls that wait as tasks. They are kept in the store and not in memory: whichever process the client asks, before or
 * after a restart, finds the call and makes it once it is approved.
 */
export class ParkedCalls {
  readonly #host: ParkedCallsHost
  readonly #rows: Rows
  /** Requests that are made for an approved call, and which one. */
  readonly #granted = new WeakMap<Exchange, string>()

  constructor(host: ParkedCallsHost) {
    this.#host = host
    this.#rows = host.store.rows({ name: 'parked-calls', secret: true })
  }

  /** Whether a request is about the task of a parked call. */
  owns({ resolved }: ResolvedExchange): boolean {
    return resolved.task?.isOwn === true && resolved.task.own.startsWith(PREFIX)
  }

  isGranted({ origin }: GatewayExchange, id: string): boolean {
    return this.#granted.get(origin) === id
  }

  async park(exchange: ResolvedExchange, approval: Approval): Promise<Outcome> {
    const own = `${PREFIX}${randomBytes(18).toString('base64url')}`
    const { inputResponses, requestState, ...params } = exchange.origin.params
    const { askedAt, expiresAt, within } = approval
    const keptFor = expiresAt - askedAt + within + KEPT_FOR
    const call: ParkedCall = { approval: approval.id, askedAt, expiresAt, keptFor, params }
    await this.#rows.put(own, writeJson(call), { ttl: keptFor })
    const task = taskOf(own, call, 'working', say.waitingText(approval))
    return this.#host.tasks.present({ type: 'task', task }, exchange, undefined)
  }

  /** `tasks/get`, `tasks/update` and `tasks/cancel`. */
  async handle(exchange: ResolvedExchange): Promise<Outcome> {
    const { own } = exchange.resolved.task!
    const row = await this.#rows.get(own)
    if (!row) throw absent(exchange)
    const call = readJson(row.value) as ParkedCall
    if (call.task !== undefined) return this.#delegate(exchange, own, call)
    if (exchange.method === 'tasks/get') return complete(await this.#look(exchange, own, call, row.version))
    if (exchange.method === 'tasks/cancel') {
      await this.#rows.remove(own)
      await this.#host.approvals.withdraw(call.approval)
    }
    return complete({})
  }

  async #look(
    exchange: ResolvedExchange,
    own: string,
    call: ParkedCall,
    version: number,
  ): Promise<JsonObject> {
    const { approvals } = this.#host
    const approval = await approvals.get(call.approval)
    if (approval && approvals.isVoid(approval)) return ended(own, call, 'policy', say.CHANGED)
    if (approval?.state === 'denied') return ended(own, call, 'denied', say.deniedText(approval))
    if (approval?.state === 'pending') return taskOf(own, call, 'working', say.waitingText(approval))
    const taken = approval && (await approvals.take(call.approval))
    if (taken) return this.#make(exchange, own, call, { version, taken })
    // Another process has just taken it to make the call, or a call with the same arguments has.
    const current = await this.#rows.get(own)
    const isMade = current !== undefined && (readJson(current.value) as ParkedCall).task !== undefined
    if (isMade) return taskOf(own, call, 'working', 'The call is approved, and is being made.')
    return ended(own, call, 'expired', say.EXPIRED)
  }

  /** Makes the call as a task of the gateway. Policy decides once more, as for every call. */
  async #make(
    exchange: ResolvedExchange,
    own: string,
    call: ParkedCall,
    { version, taken }: { readonly version: number; readonly taken: Approval },
  ): Promise<JsonObject> {
    const { approvals, ownTasks, respond } = this.#host
    const request = deriveExchange(exchange.origin, { method: 'tools/call', params: call.params })
    const outcome = await ownTasks.run(request, 'optional', async (asked) => {
      const made = deriveExchange(asked, { client: withoutTasks(asked.client) })
      this.#granted.set(made, callOf(call.approval))
      const answer = await respond(made)
      if (isOverLimit(answer)) await approvals.giveBack(taken)
      return answer
    })
    if (outcome.type !== 'task') return ended(own, call, 'expired', say.EXPIRED)
    const task = String(outcome.task.taskId)
    await this.#rows.swap(own, version, writeJson({ ...call, task, at: exchange.resolved.target.gateway }), {
      ttl: KEPT_FOR,
    })
    return { ...outcome.task, taskId: own }
  }

  /** The task that makes the call answers for it. */
  async #delegate(exchange: ResolvedExchange, own: string, { task, at = '' }: ParkedCall): Promise<Outcome> {
    const { tasks, ownTasks } = this.#host
    const asked = deriveExchange(exchange, { params: { ...exchange.params, taskId: task } })
    const elsewhere = await tasks.askRunner({ ...exchange.resolved.task!, at }, asked)
    const outcome = elsewhere ?? (await ownTasks.handle(asked))
    if (outcome.type !== 'complete' || exchange.method !== 'tasks/get') return outcome
    return complete({ ...outcome.result, taskId: own })
  }
}

/** It is a task already, and its client follows that one. */
function withoutTasks(client: Exchange['client']): Exchange['client'] {
  const { [TASKS_EXTENSION]: _, ...extensions } = client.capabilities.extensions ?? {}
  return { ...client, capabilities: { ...client.capabilities, extensions } }
}

function taskOf(
  taskId: string,
  { askedAt, keptFor }: ParkedCall,
  status: 'working' | 'completed',
  statusMessage: string,
): JsonObject {
  return {
    taskId,
    status,
    statusMessage,
    createdAt: new Date(askedAt).toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttlMs: keptFor,
    pollIntervalMs: POLL,
  }
}

/** A call that is not made ends with the reason as its result. */
function ended(own: string, call: ParkedCall, reason: say.Refusal, text: string): JsonObject {
  const refused = say.refuse({ method: 'tools/call' }, reason, text)
  const result = refused.type === 'complete' ? { ...refused.result, resultType: 'complete' } : {}
  return { ...taskOf(own, call, 'completed', text), result }
}

import {
  deriveExchange,
  INVALID_PARAMS,
  ProtocolError,
  toNumber,
  type Continuations,
  type Exchange,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { Instance } from './instance.ts'
import { CALL_MARK } from './pool.ts'

export interface HeldCallsHost {
  readonly pool: { find(key: string): Instance | undefined; get(key: string): Instance }
  readonly continuations: Continuations
  /** How long a connection waits for the next round of its call, in milliseconds. */
  readonly heldFor: number
}

const OVER: ReadonlySet<unknown> = new Set(['completed', 'failed'])

/** `isolation: call`: a connection for each call, kept while the call has rounds or a task to come. */
export class HeldCalls {
  readonly #host: HeldCallsHost
  readonly #held = new Map<string, () => void>()

  constructor(host: HeldCallsHost) {
    this.#host = host
  }

  async run(
    exchange: Exchange,
    use: (instance: Instance, exchange: Exchange) => Promise<Outcome>,
    key: string,
  ): Promise<Outcome> {
    const { pool } = this.#host
    const affinity = readAffinity(exchange)
    const instance = affinity ? pool.find(affinity.key) : pool.get(key)
    if (!instance) {
      throw new ProtocolError(INVALID_PARAMS, 'The call that this belongs to has ended or expired')
    }
    // The new lease is taken before the old lease ends, so that the connection is never unused in between.
    const release = instance.lease()
    try {
      if (affinity?.member === 'requestState') this.#letGo(instance.key)
      const outcome = await use(instance, affinity?.exchange ?? exchange)
      if (affinity?.member === 'taskId' && isOver(outcome)) this.#letGo(instance.key)
      return this.#hold(instance, outcome)
    } finally {
      release()
    }
  }

  #hold(instance: Instance, outcome: Outcome): Outcome {
    // A parked call of a legacy server keeps its connection by itself.
    const state = outcome.type === 'input_required' ? outcome.requestState : undefined
    if (state !== undefined && this.#host.continuations.find(state)) return outcome
    const marked = markAffinity(outcome, instance.key)
    if (!marked) return outcome
    this.#letGo(instance.key)
    const release = instance.lease()
    const timer = setTimeout(() => this.#letGo(instance.key), lifetime(outcome, this.#host.heldFor))
    timer.unref()
    this.#held.set(instance.key, () => {
      clearTimeout(timer)
      release()
    })
    return marked
  }

  #letGo(key: string): void {
    const letGo = this.#held.get(key)
    this.#held.delete(key)
    letGo?.()
  }
}

/** Whether there is nothing more to get. */
function isOver(outcome: Outcome): boolean {
  if (outcome.type !== 'complete') return false
  const { status } = outcome.result
  return (
    status === 'cancelled' || (OVER.has(status) && ('result' in outcome.result || 'error' in outcome.result))
  )
}

/** A task may be asked for until its own time is over. */
function lifetime(outcome: Outcome, least: number): number {
  const ttl = outcome.type === 'task' ? outcome.task.ttlMs : undefined
  return Math.min(Math.max(toNumber(ttl) ?? 0, least), 2 ** 31 - 1)
}

/** Which connection a request belongs to, by which of its params, and what the target is to see of it. */
interface Affinity {
  readonly key: string
  readonly member: 'requestState' | 'taskId'
  readonly exchange: Exchange
}

/** With `isolation: call` later rounds and tasks return to their process: its key precedes the state. */
export function readAffinity(exchange: Exchange): Affinity | undefined {
  for (const member of ['requestState', 'taskId'] as const) {
    const value = exchange.params[member]
    const found = typeof value === 'string' ? CALL_MARK.exec(value) : null
    if (!found) continue
    const { [member]: _marked, ...params } = exchange.params
    if (found[2] !== '') params[member] = found[2]
    return { key: found[1]!, member, exchange: deriveExchange(exchange, { params }) }
  }
  return undefined
}

/** The outcome of an exchange with the connection's key in it; undefined when nothing comes after it. */
function markAffinity(outcome: Outcome, key: string): Outcome | undefined {
  if (outcome.type === 'input_required') {
    return { ...outcome, requestState: `@${key}.${outcome.requestState ?? ''}` }
  }
  const marked = (task: JsonObject): JsonObject => ({ ...task, taskId: `@${key}.${String(task.taskId)}` })
  return outcome.type === 'task' ? { ...outcome, task: marked(outcome.task) } : undefined
}

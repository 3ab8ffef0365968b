import {
  isJsonObject,
  outlineOf,
  toNumber,
  type Continuations,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import { affinityLost, markAffinity, readAffinity } from './call-affinity.ts'
import type { Instance } from './instance.ts'
import type { InstancePool } from './instance-pool.ts'

export interface HeldCallsHost {
  readonly pool: InstancePool
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
    if (!instance) throw affinityLost()
    // Taken before anything is let go of, so that the connection is never without use in between.
    const release = instance.lease()
    try {
      if (affinity?.member === 'requestState') this.#letGo(instance.key)
      const outcome = await use(instance, affinity?.exchange ?? exchange)
      if (affinity?.member === 'taskId' && isOver(outcome, exchange)) this.#letGo(instance.key)
      return this.#hold(instance, outcome, exchange)
    } finally {
      release()
    }
  }

  #hold(instance: Instance, outcome: Outcome, exchange: Exchange): Outcome {
    // A parked call of a legacy server keeps its connection by itself.
    const state = outcome.type === 'input_required' ? outcome.requestState : undefined
    if (state !== undefined && this.#host.continuations.find(state)) return outcome
    const marked = markAffinity(outcome, exchange, instance.key)
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

/** Whether there is nothing more to get: in 2025-11-25 the result of a finished task is still to be asked for. */
function isOver(outcome: Outcome, { method }: Exchange): boolean {
  if (method === 'tasks/result') return true
  if (outcome.type !== 'complete') return false
  const { status } = outcome.result
  return (
    status === 'cancelled' || (OVER.has(status) && ('result' in outcome.result || 'error' in outcome.result))
  )
}

/** A task may be asked for until its own time is over. */
function lifetime(outcome: Outcome, least: number): number {
  const ttl = outcome.type === 'task' ? outcome.task.ttlMs : legacyTtl(outcome)
  return Math.min(Math.max(toNumber(ttl) ?? 0, least), 2 ** 31 - 1)
}

function legacyTtl(outcome: Outcome): unknown {
  const task = outcome.type === 'complete' ? outlineOf(outcome).task : undefined
  return isJsonObject(task) ? task.ttl : undefined
}

import { setTimeout as delay } from 'node:timers/promises'
import {
  deriveExchange,
  isJsonObject,
  signalCancellation,
  toNumber,
  type Exchange,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { ServerCapabilities } from '@gantry/mcp/server'
import type { Target } from '../targets/target.ts'
import type { Destination } from './destination.ts'

const POLL_INTERVAL = { default: 1000, shortest: 100, longest: 10_000 }
const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** Calls a tool that requires a task of 2025-11-25 and follows the task to its end. */
export async function callAsLegacyTask(
  asked: Exchange,
  destination: Destination,
  capabilities: ServerCapabilities | undefined,
): Promise<Outcome> {
  const { target } = destination
  const hasTasks = isJsonObject((capabilities as JsonObject | undefined)?.tasks)
  if (!hasTasks && !(await target.hasOlderEra(asked))) return target.handle(asked, destination)
  const task = { ttl: target.model.timeouts.request }
  const options = { ...destination, older: true }
  const created = await target.handle(deriveExchange(asked, { params: { ...asked.params, task } }), options)
  const taskId = created.type === 'complete' ? taskIdOf(created.result.task) : undefined
  if (created.type !== 'complete' || taskId === undefined) return created
  const follow = new FollowedTask(asked, target, taskId)
  const onAbort = (): void => follow.cancel()
  asked.signal.addEventListener('abort', onAbort, { once: true })
  try {
    await follow.untilThereIsSomethingToGet(created.result.task)
    return withoutTask(await follow.send('tasks/result', asked.signal))
  } finally {
    asked.signal.removeEventListener('abort', onAbort)
  }
}

/** A later round of a call whose task is awaited: what is asked for is the result of the task. */
export function asResultOf(taskId: unknown, asked: Exchange): Exchange {
  const { inputResponses, requestState } = asked.params
  return deriveExchange(asked, { method: 'tasks/result', params: { taskId, inputResponses, requestState } })
}

class FollowedTask {
  readonly #asked: Exchange
  readonly #target: Target
  readonly #taskId: string

  constructor(asked: Exchange, target: Target, taskId: string) {
    this.#asked = asked
    this.#target = target
    this.#taskId = taskId
  }

  /** The result is waited for by asking how things stand: a request that is silent for long counts as dead. */
  async untilThereIsSomethingToGet(first: unknown): Promise<void> {
    const { signal } = this.#asked
    const until = Date.now() + this.#target.model.timeouts.request
    let task = first
    while (isJsonObject(task) && task.status === 'working' && Date.now() < until) {
      await delay(intervalOf(task), undefined, { signal })
      const outcome = await this.send('tasks/get', signal)
      task = outcome.type === 'complete' ? outcome.result : undefined
    }
  }

  send(method: string, signal: AbortSignal): Promise<Outcome> {
    const progressToken = method === 'tasks/result' ? tokenOf(this.#asked) : undefined
    const exchange = deriveExchange(this.#asked, {
      method,
      params: {
        taskId: this.#taskId,
        // What the task says of its progress comes with its result.
        ...(progressToken !== undefined && { _meta: { progressToken } }),
      },
      cancellation: signalCancellation(signal),
    })
    return this.#target.handle(exchange, { safe: method !== 'tasks/cancel', older: true })
  }

  cancel(): void {
    const signal = AbortSignal.timeout(this.#target.model.timeouts.idle)
    this.send('tasks/cancel', signal).catch(() => {})
  }
}

function taskIdOf(task: unknown): string | undefined {
  return isJsonObject(task) && typeof task.taskId === 'string' ? task.taskId : undefined
}

function tokenOf({ params: { _meta } }: Exchange): unknown {
  return isJsonObject(_meta) ? _meta.progressToken : undefined
}

function intervalOf({ pollInterval }: JsonObject): number {
  const wanted = toNumber(pollInterval) ?? POLL_INTERVAL.default
  return Math.min(Math.max(wanted, POLL_INTERVAL.shortest), POLL_INTERVAL.longest)
}

/** The task was between the gateway and its target. */
export function withoutTask(outcome: Outcome): Outcome {
  if (outcome.type !== 'complete' || !isJsonObject(outcome.result._meta)) return outcome
  const { [RELATED_TASK]: _related, ...meta } = outcome.result._meta
  const { _meta, ...result } = outcome.result
  return { type: 'complete', result: Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result }
}

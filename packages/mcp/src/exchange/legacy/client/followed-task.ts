import { isJsonObject, type JsonObject, McpError, toNumber } from '../../../jsonrpc/index.ts'
import { isKept } from '../../../protocol/callers.ts'
import { META } from '../../../protocol/index.ts'
import { deriveExchange } from '../../derive-exchange.ts'
import { complete, type Exchange, type Outcome } from '../../exchange.ts'
import { pause, signalCancellation } from '../../plain-exchange.ts'

const POLL_INTERVAL = { default: 1000, shortest: 100, longest: 10_000 }

/** Polls in a row that may fail before the call does. */
const MAX_FAILURES = 3

/** How long a server may take to cancel a task, in ms. No caller waits for it. */
const CANCEL_TIMEOUT = 30_000

/** Sends a request that is part of the call `of`. */
type Send = (part: Exchange, of: Exchange) => Promise<Outcome>

/** Calls a tool that can be called as a task only (2025-11-25, Tasks), and follows the task to its end. */
export async function callAsTask(call: Exchange, ttl: number, send: Send): Promise<Outcome> {
  const params = { ...call.params, task: { ttl } }
  const created = await send(deriveExchange(call, { params }), call)
  const task = created.type === 'complete' ? created.result.task : undefined
  if (!isJsonObject(task) || !isKept('taskId', task.taskId)) return created
  const { taskId } = task
  const ask = (method: string, more: JsonObject, signal: AbortSignal): Promise<Outcome> => {
    const cancellation = signalCancellation(signal)
    return send(deriveExchange(call, { method, params: { taskId, ...more }, cancellation }), call)
  }
  const onAbort = (): void => {
    ask('tasks/cancel', {}, AbortSignal.timeout(CANCEL_TIMEOUT)).catch(() => {})
  }
  const { signal } = call
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await ended(task, call, ttl, () => ask('tasks/get', {}, signal))
    return await ask('tasks/result', progressMeta(call), signal)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Waits until the task has a result or a question. A request for the result would be silent for long, and count as dead. */
async function ended(
  first: JsonObject,
  call: Exchange,
  ttl: number,
  get: () => Promise<Outcome>,
): Promise<void> {
  const { signal } = call
  const until = Date.now() + ttl
  let task: JsonObject | undefined = first
  let failures = 0
  while (task?.status === 'working' && Date.now() < until) {
    const interval = intervalOf(task)
    // A server that works on a task need not be heard of in between.
    await (call.whilePaused?.(() => pause(interval, signal)) ?? pause(interval, signal))
    try {
      const outcome: Outcome = await get()
      task = outcome.type === 'complete' ? outcome.result : undefined
      failures = 0
    } catch (thrown) {
      const isLost = !(thrown instanceof McpError) || thrown.code !== 'network'
      if (isLost || signal.aborted || ++failures === MAX_FAILURES) throw thrown
    }
  }
}

function intervalOf({ pollInterval }: JsonObject): number {
  const wanted = toNumber(pollInterval) ?? POLL_INTERVAL.default
  return Math.min(Math.max(wanted, POLL_INTERVAL.shortest), POLL_INTERVAL.longest)
}

/** The call's progress token, which the request for the result carries: the task's progress comes under it. */
function progressMeta({ params: { _meta } }: Exchange): JsonObject {
  const progressToken = isJsonObject(_meta) ? _meta.progressToken : undefined
  return progressToken === undefined ? {} : { _meta: { progressToken } }
}

/** The result of a task as the result of its call: the task is known between us and the server only. */
export function withoutTask(outcome: Outcome): Outcome {
  if (outcome.type !== 'complete' || !isJsonObject(outcome.result._meta)) return outcome
  const { [META.relatedTask]: _related, ...meta } = outcome.result._meta
  const { _meta, ...result } = outcome.result
  return complete(Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result)
}

import {
  deriveExchange,
  missingCapabilities,
  signalCancellation,
  type Exchange,
  type InputRequests,
  type InputResponses,
  type Outcome,
} from '../../exchange/index.ts'
import {
  isJsonObject,
  MISSING_CLIENT_CAPABILITY,
  ProtocolError,
  type JsonObject,
} from '../../jsonrpc/index.ts'
import { eraOf } from '../../protocol/index.ts'
import { awaitTask } from './await-task.ts'
import { readTask } from './read-task.ts'
import { withTasks } from './task.ts'

const POLL_INTERVAL = 1000

/** Whether a call may become a task that its client could not follow: the client's revision has no such tasks. */
export function cannotFollow({ method, client }: Exchange): boolean {
  return method === 'tools/call' && eraOf(client.version) !== 'modern'
}

export interface FollowOptions {
  /** How long the task may take, in milliseconds. */
  maxWaitMs: number
  /** Makes the call, with the capability for tasks. */
  call(exchange: Exchange): Promise<Outcome>
  /** Sends a request about the task. */
  send(exchange: Exchange): Promise<Outcome>
}

/** Calls a tool in place of such a client. The client gets the result and the questions of the task (SEP-2663). */
export async function callAndFollow(call: Exchange, options: FollowOptions): Promise<Outcome> {
  const { client } = call
  const following = deriveExchange(call, {
    client: { ...client, capabilities: withTasks(client.capabilities) },
  })
  const outcome = await options.call(following)
  if (outcome.type !== 'task') return outcome
  let messages = 0
  return awaitTask(readTask(outcome.task), {
    owned: true,
    signal: following.signal,
    pollIntervalMs: POLL_INTERVAL,
    maxWaitMs: options.maxWaitMs,
    ask: (requests, signal) => ask(following, requests, signal),
    send: (method, params, signal) =>
      options.send(
        deriveExchange(following, {
          method,
          params: { ...params, ...traceOf(following) },
          cancellation: signalCancellation(signal),
          ask: undefined,
        }),
      ),
    onMessage: (message) => {
      const { progressToken } = metaOf(following)
      if (progressToken === undefined) return
      const params = { progressToken, progress: ++messages, message }
      following.notify({ method: 'notifications/progress', params })
    },
  })
}

async function ask(
  exchange: Exchange,
  requests: InputRequests,
  signal: AbortSignal | undefined,
): Promise<InputResponses> {
  const missing = missingCapabilities(requests, exchange.client.capabilities)
  if (missing || !exchange.ask) {
    const data = { requiredCapabilities: missing ?? {} }
    throw new ProtocolError(MISSING_CLIENT_CAPABILITY, 'The client cannot be asked for this input', data)
  }
  return exchange.ask(requests, signal)
}

function traceOf(exchange: Exchange): JsonObject {
  const { progressToken: _token, ...rest } = metaOf(exchange)
  return Object.keys(rest).length > 0 ? { _meta: rest } : {}
}

function metaOf({ params: { _meta } }: Exchange): JsonObject {
  return isJsonObject(_meta) ? _meta : {}
}

import {
  deriveExchange,
  isJsonObject,
  MISSING_CLIENT_CAPABILITY,
  missingCapabilities,
  ProtocolError,
  signalCancellation,
  type Exchange,
  type InputRequests,
  type JsonObject,
  type Outcome,
  type TaskHandle,
} from '@gantry/mcp/exchange'
import { awaitTask, readTask, withTasks } from '@gantry/mcp/extensions/tasks'
import type { Target } from '../targets/target.ts'
import type { Destination } from './destination.ts'

const POLL_INTERVAL = 1000

/** Calls a tool for a client that does not know tasks, and waits for the task that may become of it. */
export async function askAndAwait(asked: Exchange, destination: Destination): Promise<Outcome> {
  const { client } = asked
  const { target } = destination
  const following = deriveExchange(asked, {
    client: { ...client, capabilities: withTasks(client.capabilities) },
  })
  // These tasks exist in the newer era.
  const outcome = await target.handle(following, { ...destination, older: false })
  return outcome.type === 'task' ? awaitedTask(outcome, following, target) : outcome
}

/** Waits for a task in the client's stead: the client gets its result and its questions (SEP-2663). */
function awaitedTask(handle: TaskHandle, asked: Exchange, target: Target): Promise<Outcome> {
  let messages = 0
  return awaitTask(readTask(handle.task), {
    owned: true,
    signal: asked.signal,
    pollIntervalMs: POLL_INTERVAL,
    maxWaitMs: target.model.timeouts.request,
    ask: (requests, signal) => ask(asked, requests, signal),
    send: (method, params, signal) => {
      const exchange = deriveExchange(asked, {
        method,
        params: { ...params, ...traceOf(asked) },
        cancellation: signalCancellation(signal),
        ask: undefined,
      })
      return target.handle(exchange, { safe: method === 'tasks/get' })
    },
    onMessage: (message) => {
      const progressToken = metaOf(asked).progressToken
      if (progressToken === undefined) return
      const params = { progressToken, progress: ++messages, message }
      asked.notify({ method: 'notifications/progress', params })
    },
  })
}

async function ask(exchange: Exchange, requests: InputRequests, signal?: AbortSignal) {
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

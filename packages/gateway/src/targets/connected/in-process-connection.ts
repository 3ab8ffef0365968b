import {
  deriveExchange,
  eraOf,
  LATEST_MODERN,
  isJsonObject,
  JsonNumber,
  PlainExchange,
  withBigInts,
  withPlainNumbers,
  type Exchange,
  type JsonObject,
  type Served,
} from '@gantry/mcp/exchange'
import { McpError } from '@gantry/mcp/client'
import type { Discovery } from '@gantry/mcp/server'
import type { TargetConnection } from './target-connection.ts'

/** A server in this process needs no wire: exchanges go to it as they are. */
export async function connectInProcess(served: Served): Promise<TargetConnection> {
  const probe = new PlainExchange({
    method: 'server/discover',
    params: {},
    client: { capabilities: {}, version: LATEST_MODERN },
  })
  const outcome = await served.respond(probe)
  if (outcome.type !== 'complete')
    throw new McpError('bad_response', `${served.info.name} cannot be discovered`)
  const closed = new AbortController()
  return {
    era: eraOf(LATEST_MODERN),
    version: LATEST_MODERN,
    discovery: outcome.result as unknown as Discovery,
    transport: 'in process',
    handle: (exchange) => {
      const asked = withNumbersFor(served, inOurRevision(exchange))
      return served.respond(asked.method === 'subscriptions/listen' ? until(closed.signal, asked) : asked)
    },
    onClose: undefined,
    async close() {
      closed.abort('The target was stopped')
    },
  }
}

/** The client's revision matters only up to the gateway. The server in this process is asked in the modern revision. */
function inOurRevision(exchange: Exchange): Exchange {
  const { client } = exchange
  return client.version === LATEST_MODERN
    ? exchange
    : deriveExchange(exchange, { client: { ...client, version: LATEST_MODERN } })
}

/** A server in this process gets numbers as it would over a wire; the client's progress token stays its own. */
function withNumbersFor({ numbers }: Served, exchange: Exchange): Exchange {
  if (numbers === 'source') return exchange
  const { params, ask } = exchange
  const read = numbers === 'exact' ? withBigInts : withPlainNumbers
  const asked = read(params)
  if (asked === params && !ask) return exchange
  return deriveExchange(exchange, {
    params: withTokenOf(params, asked),
    ask: ask && (async (requests, signal) => read(await ask(requests, signal))),
  })
}

function withTokenOf({ _meta }: JsonObject, read: JsonObject): JsonObject {
  const token = isJsonObject(_meta) ? _meta.progressToken : undefined
  if (!(token instanceof JsonNumber)) return read
  return { ...read, _meta: { ...(read._meta as JsonObject), progressToken: token } }
}

/** A subscription has no end of its own. */
function until(closed: AbortSignal, exchange: Exchange): Exchange {
  const listening = new PlainExchange({
    method: exchange.method,
    params: exchange.params,
    client: exchange.client,
    auth: exchange.auth,
    headers: exchange.headers,
    session: exchange.session,
    notify: (notification) => exchange.notify(notification),
  })
  for (const signal of [closed, exchange.signal]) {
    if (signal.aborted) listening.abort(signal.reason)
    else signal.addEventListener('abort', () => listening.abort(signal.reason), { once: true })
  }
  return listening
}

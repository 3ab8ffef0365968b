import { setTimeout as sleep } from 'node:timers/promises'
import { EraCache, McpError, http, type McpErrorCode } from '@gantry/mcp/client'
import {
  eraOf,
  isJsonObject,
  LATEST_MODERN,
  ProtocolError,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { TargetModel } from '../../model/index.ts'
import { FAILED, MISDIRECTED, SPOKEN, type Elsewhere, type TargetOwners } from '../connected/elsewhere.ts'
import {
  connectByWire,
  type EdgeServices,
  type Spoken,
  type TargetConnection,
} from '../connected/target-connection.ts'
import { isStoreAway } from '../../store/index.ts'
import { isConnectionLoss } from '../target-error.ts'
import { type AskingServices, whileThere } from './ask-elsewhere.ts'
import type { Instance } from './instance.ts'
import type { OpenRequest } from './life.ts'
import { isLegacyKey } from './pool.ts'

const LOOK_AGAIN = 200
const STORE_BACK_WITHIN = 2_000

/**
 * Connects to the gateway that has the target. Returns undefined when this gateway has it. When that gateway went away,
 * tries again, because another gateway soon takes its place.
 */
export async function openHop(
  owners: TargetOwners,
  model: TargetModel,
  request: OpenRequest<Instance>,
  services: EdgeServices & AskingServices,
): Promise<TargetConnection | undefined> {
  const limit = AbortSignal.any([request.signal, AbortSignal.timeout(model.timeouts.start)])
  for (;;) {
    const elsewhere = await ownerOf(owners, model, limit)
    if (!elsewhere) return undefined
    try {
      return await connectByHop(services, elsewhere, model, request, limit)
    } catch (thrown) {
      const told = failureTold(thrown)
      if (told) throw told
      if (limit.aborted || !isConnectionLoss(moved(thrown))) throw thrown
      await sleep(LOOK_AGAIN, undefined, { signal: limit })
    }
  }
}

/** The store is away for a moment while another server of it takes over. A call waits for that, and not for longer. */
async function ownerOf(
  owners: TargetOwners,
  model: TargetModel,
  limit: AbortSignal,
): ReturnType<TargetOwners['find']> {
  const until = Date.now() + STORE_BACK_WITHIN
  for (;;) {
    try {
      return await owners.find(model)
    } catch (thrown) {
      if (!isStoreAway(thrown) || Date.now() > until) throw thrown
      await sleep(LOOK_AGAIN, undefined, { signal: limit })
    }
  }
}

/**
 * A connection to a target by way of the gateway that has the target. That gateway tells callers apart, and knows the
 * era.
 */
async function connectByHop(
  services: EdgeServices & AskingServices,
  { id, url, headersFor, untilGone, fetch = services.fetch }: Elsewhere,
  model: TargetModel,
  { instance, handshake }: OpenRequest<Instance>,
  signal: AbortSignal,
): Promise<TargetConnection> {
  const options = { older: isLegacyKey(instance.key) }
  const connector = http(url, {
    headers: headersFor(undefined, options),
    fetch,
    maxMessageBytes: services.maxMessageBytes,
    arrivals: services.arriving.of(url),
    onProtocolError: (error: McpError) => handshake.warn(error),
  })
  const extraHeaders = (exchange: Exchange): Record<string, string> => headersFor(exchange, options)
  const connection = await connectByWire(
    { ...connector, fallback: undefined },
    { ...model, era: eraOf(LATEST_MODERN) },
    { ...services, eras: new EraCache(), extraHeaders, spokenIn },
    signal,
  )
  const { handle } = connection
  return Object.assign(connection, {
    at: id,
    async handle(exchange: Exchange): Promise<Outcome> {
      try {
        return await whileThere(untilGone, exchange, handle)
      } catch (thrown) {
        throw moved(thrown)
      }
    },
  })
}

/** What the gateway that has the program says of it. */
function spokenIn(discovery: TargetConnection['discovery']): Spoken | undefined {
  const spoken = discovery._meta?.[SPOKEN] as Spoken | undefined
  return spoken && { ...spoken, transport: `${spoken.transport} at another process` }
}

/** Why that gateway cannot use the target. Undefined: the way to it is what failed. */
function failureTold(thrown: unknown): McpError | undefined {
  const { cause } = thrown as Error
  const data = cause instanceof ProtocolError ? cause.data : undefined
  const failed = isJsonObject(data) ? data[FAILED] : undefined
  if (!isJsonObject(failed)) return undefined
  return new McpError(failed.reason as McpErrorCode, String(failed.message), { cause })
}

/**
 * Refuses calls to a program of this gateway when the gateway stood still, because another gateway may have the program
 * by now.
 */
export function fenced(connection: TargetConnection, owners: TargetOwners): TargetConnection {
  const { handle } = connection
  return Object.assign(connection, {
    handle(exchange: Exchange): Outcome | Promise<Outcome> {
      if (owners.isLate)
        throw new McpError('session_lost', 'This gateway stood still: another may have the target')
      return handle(exchange)
    },
  })
}

/**
 * A gateway that does not have the target any more has done nothing, and the next attempt finds the gateway that has
 * it.
 */
function moved(thrown: unknown): unknown {
  const isMoved = [thrown, (thrown as Error).cause].some(
    (one) => one instanceof McpError && one.code === 'http_status' && one.details.status === MISDIRECTED,
  )
  return isMoved
    ? new McpError('session_lost', 'Another gateway has the target now', { cause: thrown })
    : thrown
}

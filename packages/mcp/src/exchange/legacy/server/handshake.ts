import { INVALID_PARAMS, isJsonObject, ProtocolError, type JsonObject } from '../../../jsonrpc/index.ts'
import type { Implementation, ServerCapabilities } from '../../../protocol/index.ts'
import type { ClientFacts, Outcome } from '../../exchange.ts'
import { PlainExchange, type RequestContext } from '../../plain-exchange.ts'
import { respondSafely, type Served } from '../../server/answer.ts'

const NO_PARAMS = Object.freeze({})

export interface InitializeParams {
  protocolVersion: string
  capabilities: JsonObject
  clientInfo: Implementation
}

/** Throws −32602 naming the member that is missing or of the wrong type. */
export function readInitialize(params: JsonObject = {}): InitializeParams {
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string') throw required('protocolVersion', 'a string')
  if (!isJsonObject(capabilities)) throw required('capabilities', 'an object')
  if (!isJsonObject(clientInfo)) throw required('clientInfo', 'an object')
  return { protocolVersion, capabilities, clientInfo: clientInfo as unknown as Implementation }
}

function required(member: string, what: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: "${member}" must be ${what}`)
}

/** What the server says about itself, asked the modern way. */
export async function discover(
  served: Served,
  client: ClientFacts,
  context: RequestContext,
): Promise<Outcome> {
  return respondSafely(
    served,
    new PlainExchange({ ...context, method: 'server/discover', params: NO_PARAMS, client }),
  )
}

/** A connection that cannot push has no change notifications to promise, and nobody to remember tasks for. */
export function deliverable(capabilities: ServerCapabilities, canPush: boolean): ServerCapabilities {
  if (canPush) return capabilities
  const { tools, prompts, resources, tasks: _tasks, ...rest } = capabilities
  return {
    ...rest,
    ...(tools && { tools: {} }),
    ...(prompts && { prompts: {} }),
    ...(resources && { resources: {} }),
  }
}

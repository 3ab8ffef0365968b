import {
  INVALID_PARAMS,
  isJsonObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  type JsonObject,
} from '../../../jsonrpc/index.ts'
import {
  isMethodInRevision,
  type Implementation,
  type Revision,
  type ServerCapabilities,
} from '../../../protocol/index.ts'
import { failure, type ClientFacts, type Outcome } from '../../exchange.ts'
import { NO_PARAMS } from '../../message-hints.ts'
import { PlainExchange, type RequestContext } from '../../plain-exchange.ts'
import { respondSafely, type Served } from '../../server/answer.ts'

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

/** Asks a modern server for its description (`server/discover`). */
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

/** Whether a server has a method for clients of a revision. Extensions decide for themselves. */
export function hasMethod(served: Served, method: string, revision: Revision): boolean {
  if (served.withoutOlderTasks && method.startsWith('tasks/')) return false
  return isMethodInRevision(method, revision)
}

/** A connection that cannot push promises no change notifications, and keeps no tasks. */
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

/** The facts of a session, in a form that can be sealed and brought back after a restart. */
export interface LegacySessionFacts {
  version: Revision
  capabilities: JsonObject
  info?: JsonObject | undefined
}

export function refuse(code: number, message: string): Outcome {
  return failure(new ProtocolError(code, message))
}

/** The answer of a server that serves no legacy revision. */
export function refuseInitialize({ revisions = [] }: Served): Outcome {
  const names = revisions.join(', ')
  return refuse(METHOD_NOT_FOUND, `Method not found: initialize (this server speaks ${names} only)`)
}

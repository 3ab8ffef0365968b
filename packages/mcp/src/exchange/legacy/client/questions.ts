import {
  INVALID_PARAMS,
  isJsonObject,
  type JsonObject,
  type JsonRpcRequest,
  METHOD_NOT_FOUND,
  ProtocolError,
} from '../../../jsonrpc/index.ts'
import { META, withRelatedTask, type ClientCapabilities } from '../../../protocol/index.ts'
import type { InputRequest } from '../../exchange.ts'
import { missingCapability } from '../../input-capabilities.ts'
import { INPUT_KEY, withoutHints } from '../../message-hints.ts'
import type { IncomingMessage } from '../../wire.ts'

const QUESTIONS: ReadonlySet<string> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])

/** The request as a question: without its frame, everything else as it was. */
export function toQuestion(request: JsonRpcRequest): InputRequest {
  const { jsonrpc: _, id: __, ...question } = request
  return withoutHints(question)
}

/** What a server built on this SDK calls the question; other servers do not say. */
export function inputKeyOf(request: JsonRpcRequest): string | undefined {
  const meta = request.params?._meta
  const key = isJsonObject(meta) ? meta[INPUT_KEY] : undefined
  return typeof key === 'string' && key !== '' && key.length <= 128 ? key : undefined
}

/** The id of the page that a request sends a user to; undefined for other requests. */
export function pageOf({ method, params }: JsonRpcRequest): string | undefined {
  const id = method === 'elicitation/create' && params?.mode === 'url' ? params.elicitationId : undefined
  return typeof id === 'string' ? id : undefined
}

export function isQuestion({ method }: JsonRpcRequest): boolean {
  return QUESTIONS.has(method)
}

/** Why a server's request cannot be passed on to a client with these capabilities; undefined when it can. */
export function refusal(
  request: JsonRpcRequest,
  capabilities: ClientCapabilities,
): ProtocolError | undefined {
  const { method } = request
  if (!isQuestion(request)) return new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
  const missing = missingCapability(request, capabilities)
  if (!missing) return undefined
  const name = Object.keys(missing)[0] ?? method
  // An undeclared mode or option is a bad parameter (2025-11-25); without the capability, no such method.
  return capabilities[name] === undefined
    ? new ProtocolError(METHOD_NOT_FOUND, `The client did not declare the ${name} capability`)
    : new ProtocolError(INVALID_PARAMS, `The client did not declare ${JSON.stringify(missing)}`)
}

/** The task that a message belongs to (2025-11-25, Tasks); whoever follows the task is asked. */
export function relatedTaskOf(message: IncomingMessage): string | undefined {
  const meta = message.params?._meta
  const task = isJsonObject(meta) ? meta[META.relatedTask] : undefined
  return isJsonObject(task) && typeof task.taskId === 'string' ? task.taskId : undefined
}

/** The answer to a question of a task names the task, as the question does (2025-11-25, Tasks). */
export function answerTo(request: JsonRpcRequest, result: JsonObject): JsonObject {
  const taskId = relatedTaskOf(request)
  return taskId === undefined ? result : withRelatedTask(result, taskId)
}

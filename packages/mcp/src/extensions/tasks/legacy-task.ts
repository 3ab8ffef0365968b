import type { Exchange } from '../../exchange/index.ts'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isJsonObject,
  ProtocolError,
  toNumber,
  type JsonObject,
} from '../../jsonrpc/index.ts'
import {
  LATEST_LEGACY,
  shapeTask,
  withoutResultType,
  withRelatedTask,
  type ServerCapabilities,
} from '../../protocol/index.ts'
import type { DetailedTask } from './task.ts'

/** The capability of a server with tasks for clients of 2025-11-25. */
export const LEGACY_TASKS: NonNullable<ServerCapabilities['tasks']> = {
  list: {},
  cancel: {},
  requests: { tools: { call: {} } },
}

/** Whether the connection has tasks of 2025-11-25. They belong to it, so it must not be stateless. */
export function hasLegacyTasks({ client, session, ask }: Exchange): boolean {
  return client.version === LATEST_LEGACY && session !== undefined && ask !== undefined
}

/** How long the client would like the task to be kept; undefined leaves it to the server. */
export function requestedTtl(task: unknown): number | undefined {
  if (!isJsonObject(task)) throw invalid('"task" must be an object')
  if (task.ttl === undefined || task.ttl === null) return undefined
  const ttl = toNumber(task.ttl)
  if (ttl === undefined || !Number.isFinite(ttl) || ttl < 0) {
    throw invalid('"task.ttl" must be a number of milliseconds')
  }
  return Math.max(1, Math.round(ttl))
}

/** In this revision a tool that reports an error has failed; since then only the protocol can fail a task. */
export function toLegacyTask(task: DetailedTask): JsonObject {
  const { result } = task
  if (task.status !== 'completed' || result?.isError !== true) return shapeTask({ ...task })
  const statusMessage = firstText(result) ?? 'The tool reported an error'
  return shapeTask({ ...task, status: 'failed', statusMessage })
}

function firstText({ content }: JsonObject): string | undefined {
  const [first] = Array.isArray(content) ? content : []
  return isJsonObject(first) && typeof first.text === 'string' ? first.text.slice(0, 1_000) : undefined
}

/** The answer to `tasks/result`: the result of the call, with the id of its task. */
export function legacyResultOf({ taskId, status, statusMessage, result, error }: DetailedTask): JsonObject {
  if (error) throw new ProtocolError(error.code, error.message, error.data)
  if (status === 'cancelled') {
    throw new ProtocolError(INTERNAL_ERROR, statusMessage ?? 'The task was cancelled')
  }
  // Kept as the extension shows it.
  return withRelatedTask(withoutResultType(result ?? {}), taskId)
}

function invalid(problem: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid params: ${problem}`)
}

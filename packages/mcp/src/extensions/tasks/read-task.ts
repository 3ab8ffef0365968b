import type { Outcome } from '../../exchange/index.ts'
import { isJsonObject, McpError, ProtocolError, toNumber, type JsonObject } from '../../jsonrpc/index.ts'
import { withoutResultType } from '../../protocol/index.ts'
import { isTerminal, type DetailedTask, type Task } from './task.ts'

const STATUSES: ReadonlySet<unknown> = new Set([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
])

/** Reads what a server says about a task. A malformed task must not confuse the client. */
export function readTask(value: unknown): DetailedTask {
  if (!isJsonObject(value)) throw malformed('it is not an object')
  const { taskId, status, inputRequests } = value
  if (typeof taskId !== 'string' || taskId === '') throw malformed('it has no taskId')
  if (!STATUSES.has(status)) throw malformed(`its status is ${JSON.stringify(status)}`)
  if (inputRequests !== undefined && !isQuestions(inputRequests)) throw malformed('its inputRequests')
  const { _meta, resultType: _type, ...task } = value
  return modernised(task) as unknown as DetailedTask
}

/** The names that two members had in 2025-11-25. */
function modernised({ ttl, pollInterval, ...task }: JsonObject): JsonObject {
  return {
    ...task,
    ...(ttl !== undefined && task.ttlMs === undefined && { ttlMs: ttl }),
    ...(pollInterval !== undefined && task.pollIntervalMs === undefined && { pollIntervalMs: pollInterval }),
  }
}

function isQuestions(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.values(value).every((question) => isJsonObject(question) && typeof question.method === 'string')
  )
}

/** How the call ended that the task stands for; undefined while it goes on. */
export function outcomeOf(task: DetailedTask): Outcome | undefined {
  if (!isTerminal(task.status)) return undefined
  switch (task.status) {
    case 'completed':
      if (!isJsonObject(task.result)) throw malformed('it is completed, but has no result')
      return { type: 'complete', result: withoutResultType(task.result) }
    case 'failed':
      return { type: 'error', error: ProtocolError.from(readError(task.error)).toJsonRpc() }
    default:
      throw cancelledTask(task)
  }
}

export function cancelledTask({ taskId, statusMessage }: Task): McpError {
  const message = statusMessage ?? 'The server cancelled the task'
  return new McpError('cancelled', message, { details: { taskId } })
}

function readError(error: unknown): ProtocolError {
  const code = isJsonObject(error) ? toNumber(error.code) : undefined
  if (isJsonObject(error) && code !== undefined && typeof error.message === 'string') {
    return new ProtocolError(code, error.message, error.data)
  }
  throw malformed('it has failed, but has no error')
}

function malformed(problem: string): McpError {
  return new McpError('bad_response', `The server sent a malformed task: ${problem}`)
}

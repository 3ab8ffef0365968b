import type { ClientFacts, InputRequests } from '../../exchange/index.ts'
import {
  isJsonObject,
  MISSING_CLIENT_CAPABILITY,
  ProtocolError,
  type JsonObject,
  type JsonRpcError,
} from '../../jsonrpc/index.ts'
import { eraOf, type ClientCapabilities } from '../../protocol/index.ts'

/** The extension's name in `capabilities.extensions` of both sides (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** A task, as every message about it and `CreateTaskResult` carry it. */
export interface Task {
  taskId: string
  status: TaskStatus
  statusMessage?: string
  createdAt: string
  lastUpdatedAt: string
  /** How long the task is kept, counted from its creation; `null` is for ever. */
  ttlMs: number | null
  pollIntervalMs?: number
}

/** A task with what its status brings: the answer to `tasks/get`, and the params of `notifications/tasks`. */
export interface DetailedTask extends Task {
  result?: JsonObject
  error?: JsonRpcError
  inputRequests?: InputRequests
}

export function isTerminal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** Whether the client can follow a task; the name means nothing under 2025-11-25 (SEP-2663). */
export function declaresTasks(client: ClientFacts): boolean {
  return eraOf(client.version) === 'modern' && isJsonObject(client.capabilities.extensions?.[TASKS_EXTENSION])
}

export function withTasks(capabilities: ClientCapabilities): ClientCapabilities {
  if (capabilities.extensions?.[TASKS_EXTENSION]) return capabilities
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } }
}

export function missingTasks(): ProtocolError {
  return new ProtocolError(MISSING_CLIENT_CAPABILITY, 'The client does not declare the tasks extension', {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

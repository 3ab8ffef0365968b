import { isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'
import { META, type Revision } from '../../protocol/index.ts'
import { Server, type Store, type tool } from '../../server/index.ts'
import { quiet, RawPeer, until } from '../../testing/fixtures/raw-peer.test.support.ts'
import { tasks, type Tasks, type TasksOptions } from './index.ts'
import { authOf } from './tasks.test.support.ts'

const CAPABILITIES = { elicitation: {}, sampling: {} }
export const UUID: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export type Tools = Record<string, ReturnType<typeof tool>>

/** A server with these tools, and its tasks. */
export function serve(tools: Tools, options: TasksOptions = {}, store?: Store): { app: Server; jobs: Tasks } {
  const app = new Server({ name: 'studio', tools, ...(store && { store }) })
  return { app, jobs: tasks(app, { pollInterval: 20, ...options }) }
}

/** A client of a session, written out by hand. */
export async function join(
  app: Server,
  version: Revision = '2025-11-25',
  principal?: string,
): Promise<{ peer: RawPeer; capabilities: JsonObject }> {
  const auth = principal === undefined ? undefined : authOf(principal)
  const peer = new RawPeer(app, { auth })
  const clientInfo = { name: 'raw', version: '1' }
  const greeted = await peer.request('initialize', {
    protocolVersion: version,
    capabilities: CAPABILITIES,
    clientInfo,
  })
  peer.notify('notifications/initialized')
  return { peer, capabilities: (greeted.result as JsonObject).capabilities as JsonObject }
}

/** Calls a tool as a task. */
export async function create(
  peer: RawPeer,
  name: string,
  task: JsonObject = {},
  more: JsonObject = {},
): Promise<JsonObject & { taskId: string; status: string }> {
  const { result, error } = await peer.request('tools/call', { name, task, ...more })
  if (error) throw new Error(JSON.stringify(error))
  return (result as { task: JsonObject & { taskId: string; status: string } }).task
}

export const get = async (peer: RawPeer, taskId: string): Promise<unknown> =>
  (await peer.request('tasks/get', { taskId })).result
export const result = (peer: RawPeer, taskId: string): ReturnType<RawPeer['request']> =>
  peer.request('tasks/result', { taskId })
export const listed = async (peer: RawPeer, params: JsonObject = {}): Promise<unknown[]> => {
  const { tasks: found } = (await peer.request('tasks/list', params)).result as { tasks: JsonObject[] }
  return found.map(({ taskId }) => taskId)
}
/** Asks until the task is in this state. */
export async function reached(peer: RawPeer, taskId: string, status: string): Promise<void> {
  while (((await get(peer, taskId)) as JsonObject).status !== status) await quiet(1)
}
export const relatedTask = (value: unknown): unknown => {
  const meta = isJsonObject(value) ? value._meta : undefined
  return isJsonObject(meta) ? meta[META.relatedTask] : undefined
}
/** The first request of this kind that the server sent. */
export const asked = (
  peer: RawPeer,
  method: string,
): Promise<JsonObject & { id: number; params: JsonObject }> =>
  until(() => peer.heard.find((m) => m.method === method) as never, method)

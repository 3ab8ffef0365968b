import { join } from 'node:path'
import { parseJson } from '@gantry/mcp/foreign'

/** One of the processes that share the port of a gateway. */
export interface WorkerPlace {
  /** From 0 on. A worker that is started again has the slot of the one before. */
  readonly slot: number
  readonly count: number
  /** Where the sockets of the workers are. */
  readonly folder: string
  /** Whether it tells people where the gateway is: one of them is enough. */
  readonly announces: boolean
}

/** The variable by which the supervisor tells a process that it is a worker. */
export const WORKER: string = 'GANTRY_WORKER'

/** What a worker says when it serves. */
export const READY: string = 'gantry-ready'

export function workerPlace(env: NodeJS.ProcessEnv): WorkerPlace | undefined {
  const text = env[WORKER]
  return text === undefined ? undefined : (parseJson(text) as unknown as WorkerPlace)
}

/** Which worker has a session. Workers choose ids that lead to themselves, so no table is needed. */
export function slotOf(session: string, count: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < session.length; at++) hash = Math.imul(hash ^ session.charCodeAt(at), 0x01000193)
  return (hash >>> 0) % count
}

/** Where a worker is reached by the others. */
export function socketOf(folder: string, slot: number): string {
  return join(folder, `${slot}.sock`)
}

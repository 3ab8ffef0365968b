import { join } from 'node:path'
import { parseJson } from '@gantry/mcp/foreign'

/** One of the processes that share the port of a gateway. */
export interface WorkerPlace {
  /** Counted from 0. A worker that is started again has the slot of the previous worker. */
  readonly slot: number
  readonly count: number
  /** Differs from the turn of the previous worker in the slot, which may still be there. */
  readonly turn: 0 | 1
  /** Where the sockets of the workers are. */
  readonly folder: string
  /** Whether it tells people where the gateway is: one of them is enough. */
  readonly announces: boolean
}

/** What became of a reload. */
export interface ReloadResult {
  readonly replaced: number
  /** Why the others were not. */
  readonly failed?: string
}

/** The variable by which the supervisor tells a process that it is a worker. */
export const WORKER: string = 'GANTRY_WORKER'

/** What a worker says when it serves. */
export const READY: string = 'gantry-ready'

/** What a worker is asked at short intervals, and what it answers. */
export const PING: string = 'gantry-ping'

/** From now on the supervisor learns that this worker does not stand still. */
export function answerPings(): void {
  process.on('message', (message) => {
    if (message === PING) process.send?.(PING)
  })
}

/** What a worker is told when another has taken its place. SIGTERM tells it that all of them stop. */
export const REPLACED: string = 'gantry-replaced'

/** What a worker tells the others, by the supervisor. */
interface Told {
  readonly told: unknown
  /** Set by the supervisor. */
  readonly from: number
}

export function isTold(message: unknown): message is Told {
  return typeof message === 'object' && message !== null && 'told' in message
}

/** Tells the other workers something. `hear` is called with what they tell; undefined: that worker is gone. */
export function talk<T>(hear: (from: number, told: T | undefined) => void): (told: T) => void {
  process.on('message', (message) => {
    if (isTold(message)) hear(message.from, (message.told as T | null) ?? undefined)
  })
  return (told) => void process.send?.({ told })
}

export function workerPlace(env: NodeJS.ProcessEnv): WorkerPlace | undefined {
  const text = env[WORKER]
  return text === undefined ? undefined : (parseJson(text) as unknown as WorkerPlace)
}

/** Which worker has a session: its id says so, and no table is needed. Undefined: any of them. */
export function slotOf(session: string, count: number): number | undefined {
  const slot = /~(\d{1,4})$/.exec(session)?.[1]
  return slot === undefined ? undefined : Number(slot) % count
}

/** Where the supervisor is asked to replace its workers. */
export function supervisorSocket(folder: string): string {
  return join(folder, 'supervisor.sock')
}

/** Where a worker is reached by the others. */
export function socketOf(folder: string, slot: number): string {
  return join(folder, `${slot}.sock`)
}

import { randomInt } from 'node:crypto'
import type { ServerModel } from '../model/index.ts'
import type { ClientNames } from './stats.ts'

export type RecordStatus =
  | 'running'
  | 'ok'
  | 'tool-error'
  | 'error'
  | 'input-required'
  | 'task'
  | 'cancelled'
  | 'refused'

export interface SeenMessage {
  readonly hop: 'client' | 'target'
  /** As the gateway sees it: `in` came to it, `out` left it. */
  readonly direction: 'in' | 'out'
  readonly message: unknown
  /** What was translated here, in words. */
  readonly note?: string
  /** When; now, if it is absent. */
  readonly at?: number
}

/** What passed between the gateway and a target. Messages are made of it when they are kept, which is seldom. */
export interface Passed {
  seen(): readonly SeenMessage[]
}

/** The same as it is kept: as JSON without credentials, and no more of it than is allowed. */
export interface KeptMessage extends Omit<SeenMessage, 'message'> {
  readonly at: number
  readonly json: string
  readonly bytes: number
}

export interface ExchangeRecord {
  readonly id: number
  readonly at: number
  /** When it began, by the clock that never jumps. */
  readonly began: number
  readonly method: string
  readonly name: string | undefined
  readonly client: ClientNames
  target: string | undefined
  /** The target's own name of the tool that is called. */
  tool: string | undefined
  durationMs: number | undefined
  /** How much of it the target took, without the time in which its caller was asked. */
  targetMs: number | undefined
  /** About the length of the arguments of a tool, as JSON. */
  bytesIn: number | undefined
  /** The length of the target's answer, where it came as text or bytes. */
  bytes: number | undefined
  status: RecordStatus
  error: string | undefined
  /** Refused for load: there may be many of these, and their messages tell nothing more. */
  isForLoad?: boolean | undefined
  /** The gateway refused it by itself: its target was not asked, and is not at fault. */
  isOurs: boolean
  /** Whose call it is when the gateway itself is the client. */
  readonly tag: { readonly id: string } | undefined
  /** Whether its messages are kept while the log is watched: it is one of the sample. */
  readonly keeps: boolean
  /** Whether the process still runs that may have asked the caller something. */
  isAskerThere?: (() => boolean) | undefined
  /** Takes out of what a target says what callers may not have. */
  clean?: ((message: unknown) => unknown) | undefined
  /** What passed to and from the target, while it runs: kept when it fails or is slow. */
  upstream?: Passed[] | undefined
  messages: KeptMessage[] | undefined
}

/** Where messages of a target are shown. */
export interface Shown<Log> {
  readonly exchanges: Log
  readonly target: string
  /** What to do about a question that may belong to several calls, for operators. */
  advice(): string
}

/** A request of a target that is not answered yet. */
export interface Question {
  readonly method: string
  readonly origin: object | undefined
}

/** Takes out secrets before anything is kept. */
export interface Hides {
  /** Takes out configured secrets. */
  inJson(json: string): string
  /** Takes out configured secrets and whatever looks like a credential. */
  inText(text: string): string
}

export interface ExchangeLogOptions {
  /** Exchanges kept; 0 switches the log off, statistics stay. */
  readonly size: number
  /** Characters of one message that are kept. */
  readonly bodyBytes: number
  /** Share of exchanges whose messages are kept, 0 to 1. The others are listed and counted all the same. */
  readonly sampling: number
  readonly hide?: Hides | undefined
  /** The id of the first exchange. */
  readonly firstId?: number | undefined
}

const MOST_GATEWAYS = 900_000
const MOST_EXCHANGES = 1e10

/**
 * When several gateways act as one, each counts its exchanges in a range of its own, so that an id names one exchange
 * among all.
 */
export function firstIdOf({ workers, cluster }: Pick<ServerModel, 'workers' | 'cluster'>): number {
  const isAlone = workers === 1 && !cluster
  return isAlone ? 1 : randomInt(1, MOST_GATEWAYS) * MOST_EXCHANGES + 1
}

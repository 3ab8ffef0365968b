import type { Bytes, Era, Json, JsonObject, Milliseconds, Revision, Timestamp } from './common.ts'

export type TargetState =
  | 'disabled'
  | 'idle'
  | 'starting'
  | 'ready'
  | 'degraded'
  | 'backing-off'
  | 'needs-auth'
  | 'quarantined'
  | 'stopped'

export type TargetKind = 'stdio' | 'url' | 'inProcess' | 'openapi' | 'replay'

export interface Explanation {
  /** Stable, for tests and links: `spawn_failed`, `not_json`, `no_initialized`, `http_status`, … */
  readonly code: string
  /** One sentence: what happened. */
  readonly what: string
  /** The meaning, where it is not obvious. */
  readonly meaning?: string
  readonly fix?: string
  /** The repair that `gantry doctor --fix` makes. */
  readonly repair?: Repair
}

/** Removes a folder of npx or folders of uv, or runs a command of uv: the package is then installed anew. */
export type Repair =
  | { readonly folder: string }
  | { readonly folders: readonly string[] }
  | { readonly command: readonly string[] }

export interface TargetCard {
  readonly name: string
  readonly title?: string
  readonly kind: TargetKind
  /** One line that says what it is: the command line or the URL, without credentials. */
  readonly what: string
  readonly state: TargetState
  /** Since when it is in this state. */
  readonly since: Timestamp
  readonly problem?: Explanation
  /** When it will be tried again. */
  readonly retryAt?: Timestamp
  /** `stdio`, `http`, `sse`, `in process`, `openapi`; absent while it was never connected. */
  readonly transport?: string
  readonly era?: Era
  readonly revision?: Revision
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string }
  readonly counts: EntryCounts
  /** Whether the lists come from an earlier run or from a connection that is gone. */
  readonly stale: boolean
  readonly stats: TrafficStats
  /** Starts besides the first one of each connection. */
  readonly restarts: number
  /**
   * Connections that worked and then broke: the times, the newest last, and the reason of the newest. Absent when no
   * connection broke.
   */
  readonly breaks?: { readonly at: readonly Timestamp[]; readonly what: string }
  readonly connections: number
  /** True when each caller has a connection of its own because the server asks questions. */
  readonly isolatesByItself?: boolean
  readonly inFlight: number
  /** The usage of the whole process tree; absent for targets that are not processes here. */
  readonly usage?: ProcessUsage
  /** The endpoint that serves this target alone, under its own names. */
  readonly endpoint: string
}

export interface EntryCounts {
  readonly tools: number
  readonly prompts: number
  readonly resources: number
  readonly templates: number
  /** An estimate of what the definitions cost a model's context. */
  readonly tokens: number
}

export interface TrafficStats {
  readonly calls: number
  readonly errors: number
  /** 0 to 1; absent without calls. */
  readonly errorRate?: number
  readonly p50?: Milliseconds
  readonly p95?: Milliseconds
  /** Ten-second buckets of the last ten minutes, oldest first. */
  readonly traffic: readonly TrafficBucket[]
}

export interface TrafficBucket {
  readonly at: Timestamp
  readonly calls: number
  readonly errors: number
}

export interface ProcessUsage {
  readonly rss: Bytes
  /** Seconds of CPU time used so far. */
  readonly cpuSeconds: number
  readonly processes: number
}

export interface TargetDetail extends TargetCard {
  /** Connections, the shared connection first. Empty until the first connection is made. */
  readonly instances: readonly InstanceDetail[]
  readonly capabilities?: JsonObject
  readonly instructions?: string
  /** The answer to `initialize` or `server/discover`. */
  readonly discovery?: JsonObject
  readonly config: TargetConfig
  readonly stderr: readonly StderrLine[]
}

export interface InstanceDetail {
  /** Empty for the connection that everybody shares. */
  readonly key: string
  /** For people: `shared`, `user alice`, `session 3f2a…`. */
  readonly label: string
  readonly state: TargetState
  readonly problem?: Explanation
  readonly since: Timestamp
  readonly starts: number
  readonly failures: number
  readonly retryAt?: Timestamp
  readonly transport?: string
  readonly era?: Era
  readonly revision?: Revision
  readonly inFlight: number
  readonly waiting: number
  readonly steps: readonly HandshakeStep[]
  readonly pid?: number
  /** Parents before children. */
  readonly processes: readonly ProcessRow[]
}

export type HandshakeStepName =
  | 'queued'
  | 'spawn'
  | 'connect'
  | 'load'
  | 'probe'
  | 'initialize'
  | 'response'
  | 'initialized'
  | 'ready'
  | 'list'
  | 'call'

/** One step of starting a target: spawn → probe → initialize → response → initialized → list. */
export interface HandshakeStep {
  readonly name: HandshakeStepName
  readonly title: string
  /** `skipped`: this era or kind of target has no such step. `pending`: an earlier step has not ended. */
  readonly status: 'done' | 'running' | 'failed' | 'skipped' | 'pending'
  /** Absent for steps that were not begun. */
  readonly at?: Timestamp
  /** From the beginning of the first step. */
  readonly offset?: Milliseconds
  readonly duration?: Milliseconds
  readonly detail?: string
  /** The messages of this step, in order. Secrets are redacted, and long messages are cut. */
  readonly messages: readonly HandshakeMessage[]
  readonly problem?: Explanation
}

export interface HandshakeMessage {
  readonly at: Timestamp
  /** As the gateway sees it. */
  readonly direction: 'in' | 'out'
  readonly message: Json
}

export interface ProcessRow {
  readonly pid: number
  readonly ppid?: number
  /** Depth in the tree, 0 for the process that was spawned. */
  readonly depth: number
  readonly command: string
  readonly rss: Bytes
  readonly cpuSeconds: number
}

export interface StderrLine {
  /** Grows by one with every line of this target. */
  readonly seq: number
  readonly at: Timestamp
  readonly text: string
}

export interface TargetConfig {
  /** The entry as the file has it; values that may be secret are masks: `••••3••••`. */
  readonly entry: JsonObject
  /** The same as text, in the format of the file. */
  readonly text: string
  readonly format: 'jsonc' | 'yaml'
  /** Where it stands in the file; absent when there is no file. */
  readonly line?: number
  /** Revision of the whole file, to be sent back with changes. */
  readonly revision?: string
}

/** `PUT /api/targets/{name}`. Masks that are sent back stand for the values that they hide. */
export interface UpdateTarget {
  readonly entry: JsonObject
  readonly name?: string
  /** The file's revision that the change was made from. When the file is newer by now, the answer is `conflict`. */
  readonly revision: string
}

export interface TargetAction {
  readonly action: 'start' | 'stop' | 'restart' | 'refresh'
}

export interface StartRecording {
  /** Absolute, on the machine of the gateway. */
  readonly file: string
  /** Whether a file that is there may be replaced. */
  readonly replace?: boolean
}

/** The recording of a target's requests and answers into a file. */
export interface RecordingStatus {
  readonly file: string
  /** Requests that have been written with their outcome. */
  readonly exchanges: number
}

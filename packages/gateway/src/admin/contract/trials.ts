import type { JsonObject, Milliseconds, Timestamp } from './common.ts'
import type { EntryCounts, Explanation, HandshakeStep, StderrLine, TargetKind } from './targets.ts'

/** `POST /api/trials` tries a target without saving it: `text` as it was pasted, or a finished `entry`. */
export type StartTrial =
  | { readonly text: string; readonly name?: string }
  | { readonly entry: JsonObject; readonly name: string; readonly call?: TrialCall }
  /** A configured target, on a connection of its own: what `gantry doctor` does. */
  | { readonly target: string; readonly call?: TrialCall }

export interface TrialCall {
  readonly tool: string
  readonly arguments?: JsonObject
}

export interface TrialReport {
  readonly id: string
  readonly status: 'running' | 'ok' | 'failed' | 'cancelled'
  readonly startedAt: Timestamp
  readonly duration?: Milliseconds
  /** The server that the text was understood as. A snippet with several servers gets a report for each. */
  readonly understoodAs: Understood
  /**
   * The name that the server would get in the configuration. It is not in use there, and is made from the text when the
   * user gave none.
   */
  readonly name: string
  readonly steps: readonly HandshakeStep[]
  readonly problem?: Explanation
  readonly warnings: readonly Explanation[]
  readonly stderr: readonly StderrLine[]
  readonly found?: TrialFindings
}

export interface Understood {
  readonly kind: TargetKind
  /** Such as `a command line`, `a URL`, `an mcpServers snippet`, `an OpenAPI description`. */
  readonly source: string
  readonly what: string
  /** As it would be written into the file; secrets masked. */
  readonly entry: JsonObject
  /** Changes to the text, such as `${env:KEY}` for `${input:key}`. */
  readonly notes: readonly string[]
}

export interface TrialFindings {
  readonly era: 'legacy' | 'modern'
  readonly revision: string
  readonly transport: string
  /** Which era its connections would have, and why. */
  readonly eras?: string
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string }
  readonly capabilities: JsonObject
  readonly instructions?: string
  readonly counts: EntryCounts
  /** The first hundred names. */
  readonly tools: readonly string[]
}

export interface TrialsStarted {
  /** One for each server in the text. */
  readonly trials: readonly TrialReport[]
  /** Servers of a snippet that cannot be used, and why. */
  readonly refused: readonly { readonly name: string; readonly problem: Explanation }[]
}

/** `POST /api/targets`: writes a target into the configuration file; its comments stay. */
export type AddTarget =
  | { readonly trial: string; readonly name?: string; readonly revision?: string }
  | { readonly entry: JsonObject; readonly name: string; readonly revision?: string }

import type { Exchange, Outcome } from '@gantry/mcp/exchange'
import type { Discovery, Era, Revision } from '@gantry/mcp/server'

/** Facts about a child process, where the target is one. */
export interface ProcessFacts {
  readonly pid: number | undefined
  stderrTail(): readonly string[]
  tree(): Promise<readonly { pid: number; parent: number; rss: number; cpu: number; command: string }[]>
}

/** One live connection to a target, whatever its kind: what a client edge is to the SDK. */
export interface Link {
  readonly era: Era
  readonly version: Revision
  readonly discovery: Discovery
  /** How it is connected, in words: `stdio`, `http`, `sse`, `in process`, `openapi`. */
  readonly transport: string
  handle(exchange: Exchange): Outcome | Promise<Outcome>
  /** Called once when the connection is gone; with the reason when nobody asked for it. */
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly process?: ProcessFacts | undefined
  /** Asks for a sign of life, where there is somebody to ask. Rejects when there is none. */
  readonly ping?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  /** Whether calls that were given up may still make the server ask something. */
  readonly hasUnanswered?: boolean | undefined
  /** Another connection takes over: who listens here is told to listen there. */
  retire?(reason: Error): void
  close(): Promise<void>
}

import type { NumberMode } from '../../jsonrpc/index.ts'
import { LATEST_LEGACY, LEGACY_REVISIONS, MODERN_REVISIONS } from '../../protocol/index.ts'
import type { Implementation, Revision } from '../../protocol/index.ts'
import type { Budget } from '../budget.ts'
import type { Exchange, Handle, Outcome } from '../exchange.ts'

/** What a server edge needs of whatever stands behind it: a server, or a gateway's relay. */
export interface Served {
  readonly info: Implementation
  readonly respond: Handle
  /** The revisions offered to clients; all of them unless pinned. */
  readonly revisions?: readonly Revision[] | undefined
  /** Refuse requests that arrive before `initialize` on a legacy connection. */
  readonly strict?: boolean | undefined
  /** What becomes of numbers in requests that a double does not hold. Default `rounded`. */
  readonly numbers?: NumberMode | undefined
  /** How long a legacy client may take to answer a question, in milliseconds. */
  readonly answerTimeout?: number | undefined
  /** Counts the questions that legacy clients have not answered. Default: 1,000 of a caller, 10,000 in all. */
  readonly questions?: Budget | undefined
  /** Wraps what an edge answers by itself (`initialize`, `ping`), as `respond` wraps everything else. */
  readonly around?:
    | ((exchange: Exchange, run: () => Outcome | Promise<Outcome>) => Promise<Outcome>)
    | undefined
  /** Called with what went wrong inside, never with what a peer did wrong. */
  readonly onInternalError?: ((error: unknown) => void) | undefined
}

export function modernRevisions(served: Served): readonly Revision[] {
  return served.revisions ? served.revisions.filter((r) => MODERN_REVISIONS.includes(r)) : MODERN_REVISIONS
}

/** Echoes a served legacy revision, else offers the newest one; undefined when none is served. */
export function negotiateLegacy(served: Served, requested: string): Revision | undefined {
  const offered = served.revisions?.filter((r) => LEGACY_REVISIONS.includes(r)) ?? LEGACY_REVISIONS
  if (offered.length === 0) return undefined
  const exact = offered.find((r) => r === requested)
  if (exact) return exact
  return offered.includes(LATEST_LEGACY) ? LATEST_LEGACY : offered[offered.length - 1]
}

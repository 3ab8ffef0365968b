import type { EventFacts } from './audit-event.ts'

/** What few events have. */
export interface EventExtra {
  /** The facts that OCSF has no place for, as canonical JSON: the other members and the numbers are not used then. */
  readonly unmapped?: string | undefined
  /** The event signs the one before it. */
  readonly signs?: true
  readonly approval?: string | undefined
  readonly limit?: string | undefined
  /** The arguments as text, where they are told. */
  readonly body?: string | undefined
  readonly result?: string | undefined
  /** The hash of long arguments; shorter ones are hashed with those of other events. */
  readonly hashed?: { readonly length: number; readonly hash: string } | undefined
}

/** The number of an event that has none. */
export const NONE = -1

/**
 * An event as it waits for the file. Those of like requests share their facts, so that the words are made once. Numbers
 * are `NONE` where there is nothing to tell.
 */
export interface WaitingEvent {
  readonly facts: EventFacts
  readonly at: number
  readonly request: number
  /** In milliseconds: the whole, and the share of the target. */
  readonly took: number
  readonly targetMs: number
  /** Of the result. */
  readonly bytes: number
  /** The arguments as canonical JSON, until they are hashed. */
  readonly args: string | undefined
  readonly extra: EventExtra | undefined
  /** Characters of what a caller or a target decided. */
  readonly length: number
}

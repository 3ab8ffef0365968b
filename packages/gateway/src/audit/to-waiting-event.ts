import { canonicalJson } from '@gantry/mcp/exchange'
import type { AuditEvent } from './audit-event.ts'
import { type EventExtra, NONE, type WaitingEvent } from './waiting-event.ts'

/** The event of something that is no request, or of a request that is like no other. */
export function toWaitingEvent(event: AuditEvent): WaitingEvent {
  return withExtra(event, { unmapped: unmappedOf(event) })
}

/** An event that signs the one before it. */
export function toSigningEvent(event: AuditEvent): WaitingEvent {
  return withExtra(event, { signs: true })
}

function withExtra(event: AuditEvent, extra: EventExtra): WaitingEvent {
  const { at, request = NONE } = event
  const length = event.detail?.length ?? 0
  return {
    facts: event,
    at,
    request,
    took: NONE,
    targetMs: NONE,
    bytes: NONE,
    args: undefined,
    extra,
    length,
  }
}

function unmappedOf({ more, outcome }: AuditEvent): string {
  return canonicalJson(more?.outcome === outcome ? more : { ...more, outcome })
}

/** The audit trail: who did what, in a chain of events that cannot be changed unseen. */
export type { AuditActor, AuditEvent, EventFacts } from './audit-event.ts'
export { followTrail } from './follow.ts'
export type { OpenedTrail } from './open-trail.ts'
export { type AuditQuery, foundIn, type FoundEvent, searchTrail } from './search.ts'
export type { AuditTrail } from './trail.ts'
export type { EventExtra, WaitingEvent } from './waiting-event.ts'
export { type Verified, verifyTrail } from './verify.ts'

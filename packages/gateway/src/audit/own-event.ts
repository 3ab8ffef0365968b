import type { AuditActor, AuditEvent } from './audit-event.ts'

const GATEWAY: AuditActor = { from: 'gateway' }

/** An event of something that the gateway does by itself. */
export function ownEvent(
  operation: string,
  more: Readonly<Record<string, unknown>>,
  status: AuditEvent['status'] = 'success',
): AuditEvent {
  return {
    at: Date.now(),
    operation,
    activity: 'other',
    actor: GATEWAY,
    status,
    outcome: status === 'success' ? 'ok' : 'error',
    more,
  }
}

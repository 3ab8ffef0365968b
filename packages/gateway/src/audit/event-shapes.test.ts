import { expect, it } from 'vitest'
import { type AuditEvent, shapeOf } from './audit-event.ts'
import { EventShapes } from './event-shapes.ts'
import { bytesOf } from './hash-chain.ts'

const event: AuditEvent = {
  at: 1,
  operation: 'tools/call',
  activity: 'other',
  actor: { from: '127.0.0.1', client: { name: 'app', version: '1' } },
  decision: 'allowed',
  status: 'success',
  outcome: 'ok',
  target: 'notes',
  object: { type: 'tool', name: 'read' },
  request: 1,
}
const key = { kind: 'key', issuer: undefined, subject: 'ann' } as const

const OTHERS: readonly AuditEvent[] = [
  { ...event, at: 2, request: 2 },
  { ...event, operation: 'tools/call read', object: { type: 'tool', name: '' } },
  { ...event, object: { type: 'prompt', name: 'read' } },
  {
    ...event,
    actor: { ...event.actor, client: { name: '', version: '1' }, principal: { ...key, subject: 'app' } },
  },
  { ...event, actor: { ...event.actor, principal: key } },
  { ...event, actor: { ...event.actor, principal: { ...key, kind: 'person', issuer: 'a' } } },
  { ...event, actor: { ...event.actor, principal: { ...key, kind: 'person', issuer: 'b' } } },
  { ...event, actor: { ...event.actor, session: 's' } },
  { ...event, actor: { ...event.actor, clientId: 'c' } },
  { ...event, actor: { ...event.actor, invokedBy: 'i' } },
  { ...event, actor: { ...event.actor, from: '127.0.0.2' } },
  { ...event, target: 'other' },
  { ...event, decision: 'denied', rule: 'no', status: 'failure', outcome: 'denied' },
  { ...event, decision: 'denied', rule: 'never', status: 'failure', outcome: 'denied' },
  { ...event, revision: '2025-11-25' },
  { ...event, status: 'failure', outcome: 'error', code: 7 },
  { ...event, status: 'failure', outcome: 'error', code: 7, detail: 'x' },
]

it('gives every event its own words, whichever came before', () => {
  const clean = (text: string): string => text
  const shapes = new EventShapes({ chain: 'c', about: '"a":1', clean, hide: clean })
  for (const one of [event, ...OTHERS, event, ...OTHERS.toReversed()]) {
    expect(shapes.of(one)).toEqual(bytesOf(shapeOf(one, clean, clean), 'c', '"a":1'))
  }
})

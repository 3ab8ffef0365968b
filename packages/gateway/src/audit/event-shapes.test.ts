import { expect, it, vi } from 'vitest'
import { type EventFacts, shapeOf } from './audit-event.ts'
import { EventShapes } from './event-shapes.ts'

const clean = (text: string): string => text
const facts: EventFacts = {
  operation: 'tools/call',
  activity: 'other',
  actor: { from: '127.0.0.1', client: { name: 'größer', version: '1' } },
  decision: 'allowed',
  status: 'success',
  outcome: 'ok',
  target: 'notes',
  object: { type: 'tool', name: 'read' },
}

it('makes the texts of like events once', () => {
  const shapes = new EventShapes(clean, clean)
  const shape = shapes.of(facts)
  expect(shape).toEqual(shapeOf(facts, clean, clean))
  expect(shapes.of(facts)).toBe(shape)
  expect(shapes.of({ ...facts, target: 'other' }).api).toContain('"other"')
})

it('looks at the texts again after a while: one may hold a secret that became known', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    let secret = ''
    const hide = (text: string): string => (secret === '' ? text : text.replaceAll(secret, '***'))
    const shapes = new EventShapes(hide, clean)
    expect(shapes.of(facts).front).toContain('größer')
    secret = 'größer'
    vi.advanceTimersByTime(20_000)
    expect(shapes.of(facts).front).not.toContain('größer')
  } finally {
    vi.useRealTimers()
  }
})

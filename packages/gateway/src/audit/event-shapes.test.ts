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

it('makes the bytes of like events once', () => {
  const shapes = new EventShapes({ chain: 'c', about: '"a":1', clean, hide: clean })
  const shape = shapes.of(facts)
  const { front, api, end, type } = shapeOf(facts, clean, clean)
  expect(shape.type).toBe(type)
  expect(String(shape.front)).toBe(front)
  expect(String(shape.api)).toBe(`${api}"attestation_list":[{"chain_uid":"c"`)
  expect(String(shape.end)).toContain(end)
  expect(shape.bytes).toBe(Buffer.concat([shape.front, shape.api, shape.middle, shape.end]).length)
  expect(shapes.of(facts)).toBe(shape)
  expect(String(shapes.of({ ...facts, target: 'other' }).api)).toContain('"other"')
})

it('looks at the texts again after a while: one may hold a secret that became known', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    let secret = ''
    const hide = (text: string): string => (secret === '' ? text : text.replaceAll(secret, '***'))
    const shapes = new EventShapes({ chain: 'c', about: '"a":1', clean: hide, hide: clean })
    expect(String(shapes.of(facts).front)).toContain('größer')
    secret = 'größer'
    vi.advanceTimersByTime(20_000)
    expect(String(shapes.of(facts).front)).not.toContain('größer')
  } finally {
    vi.useRealTimers()
  }
})

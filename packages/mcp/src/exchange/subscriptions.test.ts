import { expect, it } from 'vitest'
import { HeldNotifications } from './subscriptions.ts'

it('keeps notifications back until they are released, in order; of too many the newest', () => {
  const emitted: unknown[] = []
  const held = new HeldNotifications(({ params }) => emitted.push(params?.at))
  for (let at = 0; at < 300; at++) held.notify({ method: 'notifications/x', params: { at } })
  expect(emitted).toEqual([])
  expect(held.isReleased).toBe(false)
  held.release()
  expect(emitted).toEqual(Array.from({ length: 256 }, (_, index) => index + 44))
  held.notify({ method: 'notifications/x', params: { at: 'later' } })
  expect(emitted.at(-1)).toBe('later')
  held.release()
  expect(emitted).toHaveLength(257)
})

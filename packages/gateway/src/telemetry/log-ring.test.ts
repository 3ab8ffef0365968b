import { expect, it } from 'vitest'
import { LogRing } from './log-ring.ts'

const line = (message: string, target?: string) => ({ level: 'warn' as const, message, target, detail: '' })

it('keeps what is known of others when a target fails again and again', () => {
  const ring = new LogRing()
  ring.add(line('stopped', 'quiet'))
  ring.add(line('the gateway itself'))
  for (let at = 1; at <= 2_000; at++) ring.add(line(`refused ${at}`, 'loud'))
  expect(ring.list('quiet')).toHaveLength(1)
  expect(ring.list().at(-1)).toMatchObject({ message: 'stopped' })
  const loud = ring.list('loud')
  expect([loud[0]?.message, loud.at(-1)?.message]).toEqual(['refused 2000', 'refused 1901'])
})

it('has an end', () => {
  const ring = new LogRing()
  for (let at = 1; at <= 2_000; at++) ring.add(line(`line ${at}`))
  expect(ring.list()).toHaveLength(500)
  expect(ring.list()[0]).toMatchObject({ message: 'line 2000' })
})

import { expect, it } from 'vitest'
import { StepTimes } from './step-times.ts'

it('tells the steps that were entered, each up to the next, and the last up to the end', () => {
  const steps = new StepTimes()
  expect([...steps.until(1)]).toEqual([])
  for (const name of ['queue', '', 'resolve', 'policy']) steps.enter(name)
  const end = performance.now() + 5
  const found = [...steps.until(end)]
  expect(found.map(({ name }) => name)).toEqual(['queue', 'resolve', 'policy'])
  const [queue, resolve, policy] = found
  expect(queue!.ended).toBeLessThanOrEqual(resolve!.began)
  expect(resolve!.ended).toBe(policy!.began)
  expect(policy!.ended).toBe(end)
  for (const { began, ended } of found) expect(ended).toBeGreaterThanOrEqual(began)
})

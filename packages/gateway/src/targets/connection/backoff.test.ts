import { McpError } from '@gantry/mcp/client'
import { expect, it } from 'vitest'
import type { RestartModel } from '../../model/index.ts'
import { backoffDelay, retryAfterOf } from './backoff.ts'

const restart = { minDelay: 100, maxDelay: 1000 } as RestartModel

it('doubles up to the maximum, and jitters between half and all of it', () => {
  expect([1, 2, 3, 4, 5, 50].map((failures) => backoffDelay(restart, failures, 1))).toEqual([
    100, 200, 400, 800, 1000, 1000,
  ])
  expect(backoffDelay(restart, 3, 0)).toBe(200)
  const delays = new Set(Array.from({ length: 50 }, () => backoffDelay(restart, 5)))
  expect(delays.size).toBeGreaterThan(10)
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(500)
  expect(Math.max(...delays)).toBeLessThanOrEqual(1000)
})

it.each([
  ['7', 7000],
  ['0', 0],
  ['Sun, 06 Nov 1994 08:49:47 GMT', 10_000],
  ['Sun, 06 Nov 1994 08:49:27 GMT', 0],
  ['soon', 0],
  [undefined, 0],
])('waits as long as a server asks for: %s', (retryAfter, expected) => {
  const error = new McpError('http_status', 'busy', { details: { retryAfter } })
  expect(retryAfterOf(error, Date.parse('Sun, 06 Nov 1994 08:49:37 GMT'))).toBe(expected)
  expect(retryAfterOf(new Error('other'))).toBe(0)
})

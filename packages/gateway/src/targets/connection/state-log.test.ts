import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { TargetError } from '../target-error.ts'
import type { Instance } from './instance.ts'
import { stateLog } from './state-log.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

it('says once that a target fails, and again for another reason, after a while, or when it was back', () => {
  const said: unknown[] = []
  const tell = stateLog('t', (_level, _message, facts) => said.push([facts!.reason, facts!.failures]))
  const fails = (failures: number, code: 'network' | 'http_status') => {
    vi.advanceTimersByTime(4000)
    const failure = new TargetError('t', code, 'no')
    const state = { state: 'backing-off', since: Date.now(), reason: 'no', failure, failures, retryAt: 0 }
    tell(Object.assign(instance, state))
  }
  const instance = {} as Instance
  fails(1, 'network')
  fails(2, 'network')
  fails(3, 'network')
  expect(said).toEqual([['network', undefined]])
  fails(4, 'http_status')
  fails(5, 'http_status')
  expect(said.splice(1)).toEqual([['http_status', 4]])
  vi.advanceTimersByTime(600_000)
  fails(6, 'http_status')
  expect(said.splice(1)).toEqual([['http_status', 6]])
  fails(1, 'http_status')
  expect(said.splice(1)).toEqual([['http_status', undefined]])
})

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Attendance, GONE_AFTER } from './attendance.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is late when no heartbeat began for too long, until the next one has ended', () => {
  const attendance = new Attendance()
  vi.advanceTimersByTime(GONE_AFTER)
  attendance.beat()
  expect(attendance.isLate).toBe(false)
  vi.advanceTimersByTime(GONE_AFTER + 1)
  const end = attendance.beat()
  expect(attendance.isLate).toBe(true)
  end()
  expect(attendance.isLate).toBe(false)
})

it('is not settled while the store is away, nor in the first moments after', () => {
  const attendance = new Attendance()
  expect(attendance.isSettled).toBe(true)
  expect([attendance.missed(), attendance.missed()]).toEqual([true, false])
  vi.advanceTimersByTime(10 * GONE_AFTER)
  expect(attendance.isSettled).toBe(false)
  attendance.reached()
  vi.advanceTimersByTime(GONE_AFTER)
  expect(attendance.isSettled).toBe(false)
  vi.advanceTimersByTime(1)
  expect(attendance.isSettled).toBe(true)
})

it('was absent when a heartbeat came after the one before had expired', () => {
  const attendance = new Attendance()
  expect(attendance.isAfterAbsence(5_000)).toBe(false)
  attendance.heardUntil(5_000)
  expect(attendance.isAfterAbsence(5_000 + GONE_AFTER)).toBe(false)
  expect(attendance.isAfterAbsence(5_001 + GONE_AFTER)).toBe(true)
  attendance.heardUntil(undefined)
  expect(attendance.isAfterAbsence(5_001 + GONE_AFTER)).toBe(true)
})

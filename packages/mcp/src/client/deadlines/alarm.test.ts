import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { NEVER_CANCELLED } from '../../exchange/plain-exchange.ts'
import { Alarm } from './alarm.ts'
import { Deadline } from './deadline.ts'

const start = (alarm: Alarm, idle: number, total = 0): Deadline =>
  new Deadline('tools/call', { idle, total }, NEVER_CANCELLED, alarm)

describe('Alarm', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('ends each request at its own time, with one timer for all', () => {
    const alarm = new Alarm()
    const [late, soon, middle] = [start(alarm, 3_000), start(alarm, 1_000), start(alarm, 0, 2_000)]
    const ended = () => [soon, middle, late].map(({ aborted }) => aborted)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(990)
    expect(ended()).toEqual([false, false, false])
    vi.advanceTimersByTime(20)
    expect(ended()).toEqual([true, false, false])
    vi.advanceTimersByTime(1_000)
    expect(ended()).toEqual([true, true, false])
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1_000)
    expect(ended()).toEqual([true, true, true])
    expect(vi.getTimerCount()).toBe(0)
    expect(soon.reason).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('1000 ms without'),
    })
    expect(middle.reason).toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('2000 ms in all'),
    })
  })

  it('lets progress put the end off, up to the hard maximum', () => {
    const alarm = new Alarm()
    const request = start(alarm, 1_000, 2_500)
    for (let at = 0; at < 3; at++) {
      vi.advanceTimersByTime(800)
      expect(request.aborted).toBe(false)
      request.touch()
    }
    vi.advanceTimersByTime(110)
    expect(request.reason).toMatchObject({ details: { timeout: 2_500 } })
  })

  it('waits while a person thinks, and goes on counting after that', async () => {
    const alarm = new Alarm()
    const request = start(alarm, 1_000)
    let answer = (): void => {}
    const asked = request.whilePaused(() => new Promise<void>((resolve) => (answer = resolve)))
    vi.advanceTimersByTime(10_000)
    expect(request.aborted).toBe(false)
    answer()
    await asked
    vi.advanceTimersByTime(990)
    expect(request.aborted).toBe(false)
    vi.advanceTimersByTime(20)
    expect(request.aborted).toBe(true)
  })

  it('forgets requests that are over', () => {
    const alarm = new Alarm()
    const requests = Array.from({ length: 100 }, () => start(alarm, 1_000))
    for (const request of requests) request.dispose()
    vi.advanceTimersByTime(5_000)
    expect(requests.some(({ aborted }) => aborted)).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('keeps the process alive only while something waits', () => {
  const timers: NodeJS.Timeout[] = []
  const real = globalThis.setTimeout
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    const timer = real(run, ms)
    timers.push(timer)
    return timer
  }) as typeof setTimeout)
  const alarm = new Alarm()
  const first = start(alarm, 60_000)
  expect(timers.map((timer) => timer.hasRef())).toEqual([true])
  first.dispose()
  expect(timers.map((timer) => timer.hasRef())).toEqual([false])
  const second = start(alarm, 60_000)
  expect(timers.map((timer) => timer.hasRef())).toEqual([true])
  second.dispose()
  for (const timer of timers) clearTimeout(timer)
  spy.mockRestore()
})

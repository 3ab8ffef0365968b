import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hideCredentials } from '../model/index.ts'
import { createLog, limitedLog, type LogLevel } from './log.ts'

function lines(format: 'text' | 'json', level: LogLevel = 'info') {
  const written: string[] = []
  const log = createLog({ level, format, scrub: hideCredentials, write: (line) => written.push(line) })
  return { log, written }
}

describe('createLog', () => {
  it('writes one line, whatever a text holds', () => {
    const { log, written } = lines('text')
    log('warn', 'it said\n12:00:00.000 error forged \u001b[2J\u009b2J\u202e', { name: 'a\r\nb\u2028' })
    expect(written).toHaveLength(1)
    expect(written[0]).toMatch(
      /^[\d:.]{12} warn {2}it said\\n12:00:00\.000 error forged \\u001b\[2J\\u009b2J\\u202e name="a\\r\\nb\\u2028"$/,
    )
  })

  it('stays JSON, and means the same', () => {
    const { log, written } = lines('json')
    log('info', 'a\nb\u009b', { target: 'x\u2028', level: 'error', method: undefined })
    expect(written[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028]/)
    expect(JSON.parse(written[0]!)).toEqual({
      time: expect.any(String),
      level: 'info',
      message: 'a\nb\u009b',
      target: 'x\u2028',
    })
  })

  it.each(['text', 'json'] as const)('takes credentials out of messages and facts (%s)', (format) => {
    const { log, written } = lines(format)
    log('info', 'https://u:planted-1@h failed', {
      detail: 'x --token "planted-2" y',
      headers: { authorization: 'planted-3', nested: ['Bearer planted-444'] },
    })
    expect(written.join()).not.toContain('planted')
    if (format === 'json') expect(JSON.parse(written[0]!).detail).toBe('x --token [redacted] y')
  })

  it('ends a text that is too long', () => {
    const { log, written } = lines('json')
    log('info', 'x'.repeat(1e6), { detail: 'y'.repeat(1e6) })
    expect(written[0]!.length).toBeLessThan(10_000)
  })

  it('leaves out what is below its level', () => {
    const { log, written } = lines('text', 'warn')
    log('info', 'no')
    log('error', 'yes')
    expect(written).toHaveLength(1)
  })

  it('writes lines again after a while, also when the clock went back', async () => {
    const { log, written } = lines('text')
    const limited = limitedLog(log, { lines: 1, period: 30 })
    limited('info', 'first')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 })
    onTestFinished(() => void vi.useRealTimers())
    limited('info', 'left out')
    await expect.poll(() => written.some((line) => line.includes('1 more lines'))).toBe(true)
    limited('info', 'second')
    expect(written.some((line) => line.includes('second'))).toBe(true)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StderrTail } from './client-stderr.node.ts'

const encoder = new TextEncoder()

describe('StderrTail', () => {
  it('keeps the last lines, within 64 KiB', () => {
    const tail = new StderrTail(3)
    tail.push(encoder.encode('a\nb\r\nc\nd'))
    expect(tail.lines()).toEqual(['b', 'c', 'd'])
    tail.push(encoder.encode(`\n${'x '.repeat(100_000)}`))
    expect(tail.lines()).toEqual([])
    tail.push(encoder.encode('\nend\n'))
    expect(tail.lines().at(-1)).toBe('end')
    expect(tail.lines().join('\n').length).toBeLessThanOrEqual(65_536)
  })

  it('keeps exactly the last bytes, however they come', () => {
    const sizes = fc.array(fc.oneof(fc.nat(100), fc.nat(70_000), fc.constant(65_536)), { maxLength: 12 })
    fc.assert(
      fc.property(sizes, (sizes) => {
        const tail = new StderrTail(100)
        let all = ''
        sizes.forEach((size, index) => {
          const text = `${String.fromCharCode(0x61 + index).repeat(size)}\n`
          all += text
          tail.push(encoder.encode(text))
        })
        const kept = all.slice(-65_536)
        const whole = kept === all ? kept : kept.slice(kept.indexOf('\n') + 1)
        expect(tail.lines()).toEqual(whole.split('\n').slice(0, -1))
      }),
      { numRuns: 50 },
    )
  })

  it('shows nothing when no lines are wanted or written', () => {
    const tail = new StderrTail(0)
    expect(tail.lines()).toEqual([])
    tail.push(encoder.encode('a\n'))
    expect(tail.lines()).toEqual([])
  })

  it('gives every line to the callback, of endless ones the beginning, and outlives its exceptions', () => {
    const lines: string[] = []
    const tail = new StderrTail(1, (line) => {
      lines.push(line)
      throw new Error('mine')
    })
    tail.push(encoder.encode('one\ntwo\n'))
    const euro = encoder.encode('€ '.repeat(100_000))
    for (let at = 0; at < euro.length; at += 1000) tail.push(euro.subarray(at, at + 1000))
    tail.push(encoder.encode('\nlast'))
    tail.end()
    expect(lines.slice(0, 2)).toEqual(['one', 'two'])
    expect(lines.slice(2, -1)).toEqual([`${'€ '.repeat(8000)}…`])
    expect(lines.at(-1)).toBe('last')
  })

  it('leaves out what stands at a border: a part of a secret, or one without its name', () => {
    for (const said of ['secret-word-0123456789', 'Authorization: Bearer secret', '--password secret']) {
      for (let before = 15_950; before < 16_010; before += 2) {
        const lines: string[] = []
        const tail = new StderrTail(5, (line) => lines.push(line))
        const text = encoder.encode(`${'x '.repeat(before / 2)}${said} ${'y '.repeat(40_000)}\n`)
        for (let at = 0; at < text.length; at += 16_384) tail.push(text.subarray(at, at + 16_384))
        for (const line of [...lines, ...tail.lines()]) {
          if (line.includes('secret')) expect(line).toContain(said)
        }
      }
    }
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAscii, LineSplitter } from './lines.node.ts'
import { cpuTime } from '../../testing/fixtures/cpu-time.test.node.ts'

const encoder = new TextEncoder()

function collect(maxLineBytes?: number): { splitter: LineSplitter; lines: string[]; oversize: number[] } {
  const lines: string[] = []
  const oversize: number[] = []
  let bytes = 0
  const splitter = new LineSplitter(
    {
      onLine: (line) => lines.push(line),
      onOversize: (piece, end) => {
        bytes += piece.length
        if (!end) return
        oversize.push(bytes)
        bytes = 0
      },
    },
    maxLineBytes,
  )
  return { splitter, lines, oversize }
}

/** Cuts bytes at the given places, which need be neither sorted nor distinct. */
function slice(bytes: Uint8Array, cuts: number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.slice(places[index], end))
}

describe('LineSplitter', () => {
  it('cuts at \\n and \\r\\n, and keeps empty lines and inner \\r', () => {
    const { splitter, lines } = collect()
    splitter.push(encoder.encode('one\ntwo\r\n\nth\rree\n\r\n'))
    expect(lines).toEqual(['one', 'two', '', 'th\rree', ''])
  })

  it('delivers an unterminated last line at the end, once', () => {
    const { splitter, lines } = collect()
    splitter.push(encoder.encode('one\n{"half":'))
    expect(lines).toEqual(['one'])
    splitter.end()
    splitter.end()
    expect(lines).toEqual(['one', '{"half":'])
  })

  it('drops a byte order mark at the start of the stream only', () => {
    const { splitter, lines } = collect()
    splitter.push(encoder.encode('\uFEFF{}\n\uFEFF{}\n'))
    expect(lines).toEqual(['{}', '\uFEFF{}'])
  })

  it.each(['grapheme-ascii', 'binary'] as const)(
    'gives the same lines however the bytes are cut: %s',
    (unit) => {
      const text = fc.string({ unit, maxLength: 40 }).map((s) => s.replace(/[\r\n]/g, '⏎'))
      fc.assert(
        fc.property(
          fc.array(text),
          fc.array(fc.nat()),
          fc.constantFrom('\n', '\r\n'),
          fc.boolean(),
          (expected, cuts, ending, terminated) => {
            const bytes = encoder.encode(`^${ending}${expected.join(ending)}${terminated ? ending : ''}`)
            const { splitter, lines } = collect()
            for (const chunk of slice(bytes, cuts)) splitter.push(chunk)
            splitter.end()
            const want = [
              '^',
              ...new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).split(ending).slice(1),
            ]
            if (want.at(-1) === '') want.pop()
            expect(lines).toEqual(want)
          },
        ),
      )
    },
  )

  it('decodes quickly only what is ASCII, and drops a byte order mark all the same', () => {
    const { splitter, lines } = collect()
    for (const text of ['\uFEFFa', 'b\n', 'c\u007f', 'd\n', 'é', 'e\nwhole\n'])
      splitter.push(encoder.encode(text))
    expect(lines).toEqual(['ab', 'c\u007fd', 'ée', 'whole'])
    const quick = ['\uFEFFab', 'c\u007fd', 'ée'].map((line) => decodeAscii(encoder.encode(line)))
    expect(quick).toEqual([undefined, 'c\u007fd', undefined])
  })

  it('lines over the limit are never held, their size is known, and the others arrive', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { minLength: 1 }), fc.array(fc.nat()), (sizes, cuts) => {
        const bytes = encoder.encode(sizes.map((size) => `${'x'.repeat(size)}\n`).join(''))
        const { splitter, lines, oversize } = collect(16)
        for (const chunk of slice(bytes, cuts)) splitter.push(chunk)
        splitter.end()
        expect(lines.map((line) => line.length)).toEqual(sizes.filter((size) => size <= 16))
        expect(oversize).toEqual(sizes.filter((size) => size > 16))
      }),
    )
  })

  it('ends an oversized line when the stream ends', () => {
    const { splitter, lines, oversize } = collect(4)
    splitter.push(encoder.encode('123'))
    splitter.push(encoder.encode('456'))
    splitter.end()
    expect(lines).toEqual([])
    expect(oversize).toEqual([6])
  })

  it('costs time linear in the size of a message', () => {
    const cost = (chunks: number): number => {
      const chunk = new Uint8Array(64 * 1024).fill(0x61)
      const { splitter, lines } = collect()
      const start = cpuTime()
      for (let i = 0; i < chunks; i++) splitter.push(chunk)
      splitter.push(Uint8Array.of(0x0a))
      expect(lines[0]).toHaveLength(chunks * chunk.length)
      return cpuTime() - start
    }
    cost(16)
    const best = (chunks: number): number => Math.min(cost(chunks), cost(chunks), cost(chunks))
    // 4 MB and 32 MB: eight times the bytes; quadratic cost would be sixty-four times the time.
    expect(best(512) / best(64)).toBeLessThan(24)
  })
})

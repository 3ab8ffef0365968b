import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ALLOWED, checkForeignText, checkSource, findForeignText } from './lib/foreign-text.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

describe('texts from outside', () => {
  it('are read in few places, each with a reason', () => {
    expect(checkForeignText(ROOT)).toEqual([])
    for (const { why } of Object.values(ALLOWED)) expect(why.length).toBeGreaterThan(5)
  })

  it.each([
    ['new URL', "const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')"],
    ['new URL', 'return URL.canParse(text) ? new URL(text) : undefined'],
    ['JSON.parse', '    value = JSON.parse(text)'],
    ['JSON.parse', 'const read = options.read ?? JSON.parse'],
    ['toString of bytes', "resolve(Buffer.concat(chunks).toString('utf8'))"],
    ['the whole body of a response', 'const body = await response.json()'],
    ['the whole body of a response', 'const text = await tokenResponse.text()'],
    ['new URL', 'const at = new globalThis.URL(text)'],
    ['new URL', 'const at = URL.parse(text)'],
    ['new URL', 'const Address = URL;'],
    ['new URL', "import { URL as Address } from 'node:url'"],
    ['JSON.parse', "const value = JSON['parse'](text)"],
    ['JSON.parse', 'const { parse } = JSON\nparse(text)'],
    ['toString of bytes', 'const text = Buffer.from(bytes).toString()'],
    ['toString of bytes', "const text = body.toString(\n  'utf8',\n)"],
    ['toString of bytes', 'text += chunk.toString()'],
    ['toString of bytes', 'text += String(chunk)'],
    ['a decoder made on the spot', 'const text = new TextDecoder().decode(bytes)'],
    ['the whole body of a response', 'const body = await (await fetch(url)).json()'],
    ['the whole body of a response', 'const body = await res.text()'],
    ['the whole body of a response', "import { text } from 'node:stream/consumers'"],
  ])('a planted %s is found: %s', (name, line) => {
    expect(findForeignText(`// first\n${line}\n`, 'x.ts')).toMatchObject([{ file: 'x.ts', line: 2, name }])
  })

  it.each([
    "const file = new URL('../package.json', import.meta.url)",
    ' * const url = new URL(text)',
    '// JSON.parse throws',
    'const value = parseJson(text)',
    'const text = result.text()',
    "const hex = bytes.toString('hex')",
    'const text = JSON.stringify(value)',
    'const address = number.toString(16)',
    'const text = decoder.decode(chunk, { stream: true })',
  ])('is not confused by: %s', (line) => {
    expect(findForeignText(line, 'x.ts')).toEqual([])
  })

  it('a use more than a file is allowed is reported, also on the same line', () => {
    const entry = { 'JSON.parse': 1, why: 'our own file' }
    const one = 'const a = JSON.parse(own)'
    expect(checkSource(one, 'x.ts', entry)).toEqual([])
    for (const more of [`${one}\nconst b = JSON.parse(foreign)`, `${one}, b = JSON.parse(foreign)`]) {
      expect(checkSource(more, 'x.ts', entry)).toEqual([expect.stringMatching(/has 2 of JSON\.parse/)])
    }
    expect(checkSource(`${one}\nconst u = new URL(foreign)`, 'x.ts', entry)).toEqual([
      expect.stringMatching(/x\.ts:2: new URL/),
    ])
  })

  it('an entry that is no longer needed is reported', () => {
    const index = 'packages/mcp/src/index.ts'
    const stale = { ...ALLOWED, [index]: { 'new URL': 1, why: 'no reason' }, 'gone.ts': { why: 'no reason' } }
    expect(checkForeignText(ROOT, stale)).toEqual([
      expect.stringMatching(/mcp\/src\/index.ts has 0 of new URL/),
      expect.stringMatching(/gone\.ts is allowed/),
    ])
  })
})

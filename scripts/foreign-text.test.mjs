import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ALLOWED, checkForeignText, findForeignText } from './lib/foreign-text.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

describe('texts from outside', () => {
  it('are read in few places, each with a reason', () => {
    expect(checkForeignText(ROOT)).toEqual([])
    for (const reason of Object.values(ALLOWED)) expect(reason.length).toBeGreaterThan(5)
  })

  it.each([
    ['new URL', "const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')"],
    ['new URL', 'return URL.canParse(text) ? new URL(text) : undefined'],
    ['JSON.parse', '    value = JSON.parse(text)'],
    ['JSON.parse', 'const read = options.read ?? JSON.parse'],
    ['toString of bytes', "resolve(Buffer.concat(chunks).toString('utf8'))"],
    ['the whole body of a response', 'const body = await response.json()'],
    ['the whole body of a response', 'const text = await tokenResponse.text()'],
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
  ])('is not confused by: %s', (line) => {
    expect(findForeignText(line, 'x.ts')).toEqual([])
  })

  it('an entry that is no longer needed is reported', () => {
    const stale = { ...ALLOWED, 'packages/mcp/src/index.ts': 'no reason' }
    expect(checkForeignText(ROOT, stale)).toEqual([expect.stringMatching(/mcp\/src\/index.ts is allowed/)])
  })
})

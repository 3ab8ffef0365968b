import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readRecording } from './recording.ts'

const dir = mkdtempSync(join(tmpdir(), 'gantry-recording-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const path = (name: string): string => join(dir, name)
const header = '{"recording":"gantry","version":1,"target":"a","recordedAt":"","discovery":{}}'

describe.skipIf(process.platform === 'win32')('a recording', () => {
  it('that is a pipe, or has no end, is refused at once', async () => {
    execFileSync('mkfifo', [path('pipe.jsonl')])
    writeFileSync(path('huge.jsonl'), header)
    truncateSync(path('huge.jsonl'), 10 * 2 ** 30)
    for (const file of [path('pipe.jsonl'), path('huge.jsonl'), '/dev/zero', dir]) {
      await expect(readRecording(file)).rejects.toThrow(/not a regular file|larger than|a folder/)
    }
  })
})

it('lines end in either way, and one that was cut off is ignored', async () => {
  const line = '{"method":"a","params":{"__proto__":{"b":1}},"at":0,"duration":0,"outcome":{}}'
  writeFileSync(path('good.jsonl'), `${header}\r\n${line}\n\n${line.slice(0, 20)}`)
  const { exchanges } = await readRecording(path('good.jsonl'))
  expect(exchanges).toHaveLength(1)
  expect(({} as { b?: number }).b).toBeUndefined()
})

it.each([
  ['{"a":1}', /first line/],
  [`${header}\n{"method":1}`, /exchange 1 is incomplete/],
  [`${header}\nno JSON\n{}`, /line 2 is not JSON/],
  [`${header}\n${'['.repeat(100_000)}\n{}`, /line 2 is not JSON/],
])('what is no recording is refused in words', async (text, why) => {
  writeFileSync(path('bad.jsonl'), text)
  await expect(readRecording(path('bad.jsonl'))).rejects.toThrow(why)
})

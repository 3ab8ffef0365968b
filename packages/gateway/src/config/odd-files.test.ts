import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from './load-config.ts'
import { readStateFile, removeStateFile, writeStateFile } from './state-file.ts'

const dir = mkdtempSync(join(tmpdir(), 'gantry-odd-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const path = (name: string): string => join(dir, name)

describe.skipIf(process.platform === 'win32')('a configuration', () => {
  it('that is a pipe, or has no end, is refused at once', async () => {
    execFileSync('mkfifo', [path('pipe.yaml')])
    writeFileSync(path('huge.yaml'), '')
    truncateSync(path('huge.yaml'), 10 * 2 ** 30)
    for (const file of [path('pipe.yaml'), path('huge.yaml'), '/dev/zero']) {
      const loaded = await loadConfig(file)
      expect(loaded).toMatchObject({ ok: false, problems: [{ code: 'unreadable' }] })
    }
  })

  it('with a pipe for its secrets does not stop the process', async () => {
    execFileSync('mkfifo', [path('pipe.env')])
    const target = { command: 'true', envFile: './pipe.env', env: { A: '${file:./pipe.env}' } }
    writeFileSync(path('gantry.json'), JSON.stringify({ mcpServers: { a: target } }))
    const loaded = await loadConfig(path('gantry.json'))
    const problems = loaded.ok ? loaded.warnings : loaded.problems
    expect(problems.map(({ message }) => message).join()).toContain('not a regular file')
  })
})

describe.skipIf(process.platform === 'win32')('the state of a gateway', () => {
  it.each([
    ['a pipe', (file: string) => execFileSync('mkfifo', ['-m', '600', file])],
    ['cut off', (file: string) => writeFileSync(file, '{"url":"http://127.0', { mode: 0o600 })],
    ['no object', (file: string) => writeFileSync(file, 'null', { mode: 0o600 })],
    ['too large', (file: string) => writeFileSync(file, ' '.repeat(100_000), { mode: 0o600 })],
  ])('that is %s says nothing, and the next gateway writes its own', async (_, make) => {
    const folder = mkdtempSync(path('state-'))
    make(join(folder, 'gateway.json'))
    expect(await readStateFile(folder)).toBeUndefined()
    const state = { url: 'http://127.0.0.1:1', pid: process.pid, version: '1', startedAt: 1 }
    await writeStateFile(folder, state)
    expect(await readStateFile(folder)).toEqual(state)
    await removeStateFile(folder, process.pid)
    expect(await readStateFile(folder)).toBeUndefined()
  })
})

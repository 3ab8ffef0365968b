import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { withLock } from './lock.mjs'

const folder = mkdtempSync(join(tmpdir(), 'gantry-lock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('says why there is no Chromium instead of failing', async () => {
  const script = `import { ensureChromium } from ${JSON.stringify(new URL('chromium.mjs', import.meta.url).href)}
    console.log(JSON.stringify(await ensureChromium()))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, CHROMIUM: '/nowhere/chromium' },
  })
  expect(JSON.parse(stdout)).toEqual({ reason: 'CHROMIUM names /nowhere/chromium, which is not there' })
})

it('lets one at a time in, and goes past a holder that is gone', async () => {
  const lock = join(folder, 'lock')
  mkdirSync(lock)
  const { stdout } = await promisify(execFile)(process.execPath, ['-p', 'process.pid'])
  writeFileSync(join(lock, 'pid'), stdout.trim())
  let inside = 0
  const enter = () =>
    withLock(lock, async () => {
      inside += 1
      expect(inside).toBe(1)
      await new Promise(setImmediate)
      inside -= 1
    })
  await Promise.all([enter(), enter(), enter()])
  expect(existsSync(lock)).toBe(false)
})

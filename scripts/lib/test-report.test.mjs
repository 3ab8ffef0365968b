import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { toolPath } from './paths.mjs'
import { runNode } from './processes.mjs'

const folder = mkdtempSync(join(tmpdir(), 'gantry-report-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('counts an error outside of tests as a failure of the file that ran', async () => {
  const vitest = JSON.stringify(new URL('../../node_modules/vitest/dist/index.js', import.meta.url).href)
  const files = {
    'clean.test.mjs': 'it("passes", () => {})\nit.skip("waits", () => {})',
    'failed.test.mjs': 'it("fails", () => { throw new Error("no") })',
    'outside.test.mjs': 'it("passes", () => { Promise.reject(new Error("nobody waits for it")) })',
    'unread.test.mjs': 'throw new Error("cannot be loaded")',
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { it } from ${vitest}\n${text}`)
  }
  const report = join(folder, 'report.json')
  const reporter = `--reporter=${fileURLToPath(new URL('test-report.mjs', import.meta.url))}`
  const code = await runNode([toolPath('vitest'), 'run', '--root', folder, '--maxWorkers=1', reporter], {
    stdio: 'ignore',
    env: { ...process.env, TEST_REPORT: report },
  })
  expect(code).toBe(1)
  const { failedFiles, ...counts } = JSON.parse(readFileSync(report, 'utf8'))
  expect(counts).toEqual({ passed: 2, failed: 2, skipped: 1, homelessErrors: 0 })
  expect(failedFiles.map((file) => basename(file)).sort()).toEqual([
    'failed.test.mjs',
    'outside.test.mjs',
    'unread.test.mjs',
  ])
})

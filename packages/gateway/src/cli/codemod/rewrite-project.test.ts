import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { rewriteProject } from './rewrite-project.ts'

const SERVER = new URL('../../../../../tests/fixtures/official-server.mjs', import.meta.url)
const dir = mkdtempSync(join(tmpdir(), 'gantry-codemod-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('leaves what lies outside of the folder alone', () => {
  const [inside, outside] = [join(dir, 'inside'), join(dir, 'outside')]
  for (const folder of [inside, outside]) {
    mkdirSync(folder)
    copyFileSync(SERVER, join(folder, 'server.mjs'))
  }
  symlinkSync(join(outside, 'server.mjs'), join(inside, 'linked.mjs'))
  symlinkSync(outside, join(inside, 'folder'))
  writeFileSync(join(outside, 'package.json'), '{}')
  symlinkSync(join(outside, 'package.json'), join(inside, 'package.json'))
  if (process.platform !== 'win32') execFileSync('mkfifo', [join(inside, 'pipe.ts')])
  expect(rewriteProject(inside, '1.0.0').map(({ path }) => path)).toEqual([join(inside, 'server.mjs')])
})

it('runs nothing of the folder, also no TypeScript that lies in it', () => {
  const folder = join(dir, 'strange')
  const inside = join(folder, 'node_modules/typescript')
  mkdirSync(inside, { recursive: true })
  copyFileSync(SERVER, join(folder, 'server.mjs'))
  const ran = JSON.stringify(join(folder, 'ran'))
  writeFileSync(join(inside, 'index.js'), `require('node:fs').writeFileSync(${ran}, '')`)
  expect(rewriteProject(folder, '1.0.0')).not.toEqual([])
  expect(existsSync(join(folder, 'ran'))).toBe(false)
})

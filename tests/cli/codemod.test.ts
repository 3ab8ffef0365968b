import { spawnSync } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { differenceOf, seenByOfficialClient } from '../../scripts/interop/official-view.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'

const FIXTURE = join(ROOT, 'tests/fixtures/official-server.mjs')

const ASKED = {
  calls: [
    ['bare', {}],
    ['told', {}],
    ['added', { a: 2 }],
    ['context', {}],
    ['failing', { why: 'thrown' }],
    ['failing', { why: 'said' }],
    ['shared', { a: 2, b: 3 }],
    ['structured', { a: 2, b: 3 }],
  ],
  prompts: [
    ['plain', {}],
    ['greet', { name: 'Ada' }],
  ],
  resources: ['note://one', 'note://all/7'],
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-codemod-'))
  // So that the server finds the packages as a user's would.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await copyFile(FIXTURE, join(folder, 'server.mjs'))
  const dependencies = { '@modelcontextprotocol/sdk': '1', zod: '^3.25.0' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', dependencies }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function codemod(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const gantry = join(ROOT, 'packages/gateway/dist/cli/gantry.js')
  return spawnSync(process.execPath, [gantry, 'codemod', ...args], { cwd: folder, encoding: 'utf8' })
}

const view = (file: string) => seenByOfficialClient({ command: process.execPath, args: [file] }, ASKED)

it('gantry codemod rewrites a server, and the official client sees no difference', async () => {
  const file = join(folder, 'server.mjs')
  const shown = codemod()
  expect(shown.stdout).toContain(
    "+server.tool('told', { description: 'Has a description', run: async () => 'told' })",
  )
  expect(await readFile(file, 'utf8')).toContain('McpServer')

  expect(codemod('--write')).toMatchObject({ status: 0, stderr: expect.stringContaining('2 files') })
  expect(await readFile(file, 'utf8')).not.toContain('modelcontextprotocol')
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(dependencies).toEqual({ '@gantry/mcp': expect.any(String), zod: '^4.2.0' })

  const [before, after] = await Promise.all([view(FIXTURE), view(file)])
  expect(before.tools).toHaveLength(7)
  expect(differenceOf(before, after)).toBeUndefined()

  expect(codemod()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('registers with an McpServer'),
  })
})

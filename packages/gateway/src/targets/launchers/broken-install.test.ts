import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Secret, type StdioTarget } from '../../model/index.ts'
import { brokenInstall } from './broken-install.ts'

let cache: string
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'gantry-npx-'))
})
afterEach(() => rmSync(cache, { recursive: true, force: true }))

function npx(...args: string[]): StdioTarget {
  const env = { npm_config_cache: new Secret(cache, 'cache') }
  return { kind: 'stdio', command: 'npx', args, env } as unknown as StdioTarget
}

const HASH = '8b9bd1b4b0d7a7d6'
const NOT_FOUND = 'sh: 1: some-server: not found'

it('finds the folder that the error names', () => {
  const stderr = `Error: Cannot find module '${cache}/_npx/${HASH}/node_modules/zod/index.js'`
  expect(brokenInstall(npx('-y', 'some-server'), stderr)).toEqual({ folder: join(cache, '_npx', HASH) })
  const full = `npm error ENOTEMPTY: directory not empty, rename '${cache}/_npx/${HASH}/node_modules/a'`
  expect(brokenInstall(npx('some-server'), full)).toEqual({ folder: join(cache, '_npx', HASH) })
})

it('finds a folder that was installed in part, by the name that npx gives it', () => {
  const folder = join(cache, '_npx', hashOf('some-server@1'))
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  expect(brokenInstall(npx('-y', 'some-server@1', '--flag'), NOT_FOUND)).toEqual({ folder })
  expect(brokenInstall(npx('-y', '--package=some-server@1', 'bin'), NOT_FOUND)).toEqual({ folder })
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{}')
  expect(brokenInstall(npx('-y', 'some-server@1'), NOT_FOUND)).toBeUndefined()
})

it('says nothing of other failures and other programs', () => {
  expect(brokenInstall(npx('some-server'), 'API_KEY is required')).toBeUndefined()
  const node = { ...npx('server.js'), command: 'node' }
  expect(brokenInstall(node, "Cannot find module './x'")).toBeUndefined()
})

function hashOf(spec: string): string {
  return createHash('sha512').update(spec).digest('hex').slice(0, 16)
}

it('knows the command that takes a damaged package out of the cache of uv', () => {
  const uvx = (...args: string[]) => ({ ...npx(...args), command: '/opt/bin/uvx' }) as StdioTarget
  const stderr =
    'error: Failed to install: some_server-1.0.whl\n  Caused by: failed to open file `/c/archive-v0/x/RECORD`'
  const command = ['/opt/bin/uv', 'cache', 'clean', 'some-server']
  expect(brokenInstall(uvx('some-server==1.0', '--flag'), stderr)).toEqual({ command })
  expect(brokenInstall(uvx('--from', 'some-server', 'start'), stderr)).toEqual({ command })
  expect(brokenInstall(uvx('some-server'), 'ModuleNotFoundError: failed to import x')).toBeUndefined()
})

/** A package in the cache of uv, as it is unpacked, or in an environment. */
function unpacked(id: string, { lacks, isEnvironment = false }: { lacks?: string; isEnvironment?: boolean }) {
  const folder = join(cache, 'archive-v0', id)
  const packages = isEnvironment ? join(folder, 'lib', 'python3.11', 'site-packages') : folder
  mkdirSync(join(packages, 'some_lib-1.0.dist-info'), { recursive: true })
  mkdirSync(join(packages, 'some_lib'))
  if (isEnvironment) writeFileSync(join(folder, 'pyvenv.cfg'), '')
  const files = ['some_lib/__init__.py', '"some_lib/a,b.py"', 'some_lib-1.0.dist-info/RECORD']
  const record = `${files.map((file) => `${file},sha256=x,1`).join('\n')}\nsome_lib/__pycache__/a.pyc,,\n`
  for (const file of ['some_lib/__init__.py', 'some_lib/a,b.py', 'some_lib-1.0.dist-info/RECORD']) {
    if (file !== lacks) writeFileSync(join(packages, file), file.endsWith('RECORD') ? record : '')
  }
  return folder
}

it('finds what is damaged in the cache of uv, and nothing else', () => {
  const uvx = { ...npx('some-server'), command: 'uvx' } as StdioTarget
  const whole = unpacked('whole', {})
  const environment = unpacked('environment', { isEnvironment: true, lacks: 'some_lib/__init__.py' })
  const traceback = (folder: string) =>
    `  File "${folder}/lib/python3.11/site-packages/server.py", line 13\nModuleNotFoundError: No module named 'some_lib'`
  const source = unpacked('source', { lacks: 'some_lib/a,b.py' })
  expect(brokenInstall(uvx, traceback(environment))).toEqual({ folders: [environment, source] })
  // A server with a mistake of its own.
  expect(brokenInstall(uvx, traceback(whole))).toBeUndefined()
  const unlisted = unpacked('unlisted', { lacks: 'some_lib-1.0.dist-info/RECORD' })
  const refusal = `error: Failed to install: some_lib\n  cause: failed to open file \`${unlisted}/some_lib-1.0.dist-info/RECORD\`: No such file`
  expect(brokenInstall(uvx, refusal)).toEqual({ folders: [unlisted, source] })
})

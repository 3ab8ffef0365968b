import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { completeLock } from './complete-lock.mjs'
import { ROOT } from './paths.mjs'

const files = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: ROOT, encoding: 'utf8' })

it.each(files.trim().split('\n'))('%s names every platform package, so that `npm ci` takes it', (file) => {
  const lock = JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
  expect(completeLock(lock), 'run: node scripts/complete-lock.mjs').toEqual([])
})

it('adds what is missing with the platform that its name tells, and leaves alone what is there', () => {
  const lock = {
    packages: {
      '': {},
      'node_modules/tool': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: {
          '@tool/cli-linux-x64-gnu': '1.0.0',
          '@tool/cli-linux-arm64-musl': '1.0.0',
          '@tool/cli-win32-x64': '1.0.0',
          '@tool/binding-wasm32-wasi': '1.0.0',
        },
      },
      'node_modules/@tool/cli-linux-x64-gnu': { version: '1.0.0', integrity: 'sha512-x' },
    },
  }
  expect(completeLock(lock)).toEqual([
    '@tool/cli-linux-arm64-musl',
    '@tool/cli-win32-x64',
    '@tool/binding-wasm32-wasi',
  ])
  expect(lock.packages['node_modules/@tool/cli-linux-arm64-musl']).toEqual({
    version: '1.0.0',
    dev: true,
    optional: true,
    cpu: ['arm64'],
    os: ['linux'],
    libc: ['musl'],
  })
  expect(lock.packages['node_modules/@tool/cli-win32-x64']).toMatchObject({ cpu: ['x64'], os: ['win32'] })
  expect(lock.packages['node_modules/@tool/binding-wasm32-wasi']).toMatchObject({ cpu: ['wasm32'] })
  expect(lock.packages['node_modules/@tool/cli-linux-x64-gnu']).toEqual({
    version: '1.0.0',
    integrity: 'sha512-x',
  })
})

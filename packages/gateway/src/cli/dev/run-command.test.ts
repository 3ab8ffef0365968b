import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from './run-command.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-run-'))
})
afterEach(() => rm(dir, { recursive: true }))

const flagsOf = (name: string, nodeVersion: string): readonly string[] => {
  const { command, args } = runCommand(join(dir, name), { args: ['--x'], nodeVersion })
  expect(command).toBe(process.execPath)
  expect(args.slice(-2)).toEqual([join(dir, name), '--x'])
  return args.slice(0, -4)
}

describe('TypeScript', () => {
  it('runs on a Node that can, with the flag where it takes one', () => {
    expect(flagsOf('a.ts', '22.18.0')).toEqual([])
    expect(flagsOf('a.mts', '24.1.0')).toEqual([])
    expect(flagsOf('a.cts', '23.6.1')).toEqual([])
    expect(flagsOf('a.ts', '23.5.0')).toEqual(['--experimental-strip-types'])
    expect(flagsOf('a.ts', '22.6.0')).toEqual(['--experimental-strip-types'])
  })

  it('is refused on an older one, with the ways out', () => {
    for (const version of ['20.20.2', '22.5.9']) {
      expect(() => flagsOf('a.ts', version)).toThrow(`Node ${version} cannot run TypeScript by itself`)
    }
  })

  it('runs with tsx where the project has it', async () => {
    const tsx = join(dir, 'node_modules/tsx')
    await mkdir(tsx, { recursive: true })
    await writeFile(join(tsx, 'package.json'), '{"name":"tsx","exports":"./loader.mjs"}')
    await writeFile(join(tsx, 'loader.mjs'), '')
    expect(flagsOf('a.ts', '20.20.2')).toEqual(['--import', expect.stringMatching(/tsx\/loader\.mjs$/)])
  })
})

describe('other files', () => {
  it('are run by what their ending says, or by what is asked for', () => {
    expect(runCommand('/x/s.py', { args: ['a'] })).toEqual({ command: 'python3', args: ['/x/s.py', 'a'] })
    expect(runCommand('/x/s.py', { with: ' uv  run ', args: [] })).toEqual({
      command: 'uv',
      args: ['run', '/x/s.py'],
    })
  })

  it('are run by themselves when they can be, and refused when nobody knows how', async () => {
    const file = join(dir, 'server')
    await writeFile(file, '#!/bin/sh\n')
    expect(() => runCommand(file, { args: [] })).toThrow('It is not known how to run')
    await chmod(file, 0o755)
    expect(runCommand(file, { args: ['-v'] })).toEqual({ command: file, args: ['-v'] })
  })
})

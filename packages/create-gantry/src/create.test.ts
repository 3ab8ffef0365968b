import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FRAMEWORKS } from './frameworks.mjs'
import { runCreate } from './run-create.mjs'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'create-gantry-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function stream(isTTY: boolean): PassThrough & { isTTY: boolean } {
  return Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
}

/** Runs the command; `typed` are the lines that a user types in a terminal, each after a question. */
async function create(args: string[], typed?: string[]): Promise<{ code: number; out: string; err: string }> {
  const [input, output, errors] = [stream(typed !== undefined), stream(typed !== undefined), stream(false)]
  let [out, err] = ['', '']
  const lines = [...(typed ?? [])]
  output.on('data', (text: string) => {
    out += text
    if (!/: $/.test(text)) return
    const line = lines.shift()
    if (line === undefined) input.end()
    else input.write(`${line}\n`)
  })
  errors.on('data', (text: string) => (err += text))
  const code = await runCreate(args, { input, output, errors })
  return { code, out, err }
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

describe('create-gantry', () => {
  it.each(Object.keys(FRAMEWORKS))(
    'writes all files for %s, with nothing left to fill in',
    async (framework) => {
      const folder = join(home, 'my-server')
      const flags = framework === 'stdio' ? ['--transport', 'stdio'] : ['--framework', framework]
      const { code, out, err } = await create([folder, ...flags])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain('npm install')
      const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
        file.isFile(),
      )
      const names = files.map(({ name }) => name)
      expect(names).toEqual(
        expect.arrayContaining([
          '.gitignore',
          '.mcp.json',
          'README.md',
          'server.ts',
          'server.test.ts',
          'main.test.ts',
        ]),
      )
      expect(names.includes('Dockerfile')).toBe(framework !== 'workers')
      for (const { parentPath, name } of files)
        expect(readFileSync(join(parentPath, name), 'utf8')).not.toMatch(/\{\{|\bundefined\b(?!$)/m)
      expect(manifestOf(folder)).toMatchObject({ name: 'my-server', scripts: { test: expect.any(String) } })
    },
  )

  it('asks in a terminal for what is not given, and again when an answer cannot be used', async () => {
    const folder = join(home, 'asked')
    const { code, out } = await create([], [join(home, 'Not Good'), folder, '2', '9', 'hono'])
    expect(code).toBe(0)
    expect(out).toContain('"not-good" would do')
    expect(manifestOf(folder).dependencies).toHaveProperty('hono')
  })

  it('makes nothing when the user leaves', async () => {
    expect(await create([join(home, 'left')], [])).toMatchObject({ code: 1, err: 'Nothing was made.\n' })
    expect(readdirSync(home)).toEqual([])
  })

  it('uses an empty folder, also one with a repository, and refuses one that has files', async () => {
    const folder = join(home, 'taken')
    mkdirSync(join(folder, '.git'), { recursive: true })
    expect(await create([folder, '--yes'])).toMatchObject({ code: 0 })
    const again = await create([folder, '--yes'])
    expect(again.code).toBe(1)
    expect(again.err).toMatch(/is not empty: it has .+ and \d+ more\. Choose another name/)
    writeFileSync(join(home, 'file'), '')
    expect((await create([join(home, 'file')])).err).toContain('is not a folder')
  })

  it.each([
    [[], /Give a folder.*--yes/],
    [['a', 'b'], /Give one folder, not 2/],
    [['--nope'], /Unknown option '--nope'.*--help/],
    [['a', '--transport', 'tcp'], /--transport tcp is unknown.*stdio, http/],
    [['a', '--framework', 'koa'], /--framework koa is unknown.*express/],
    [['a', '--transport', 'stdio', '--framework', 'hono'], /--framework hono serves HTTP/],
    [['Bad Name'], /cannot be the name of a package.*"bad-name" would do/],
    [['node_modules'], /cannot be the name/],
    [['…'], /cannot be the name of a package: .*digit\.\n$/],
  ])('refuses %j in words', async (args, expected) => {
    const { code, err } = await create(args)
    expect(code).toBe(1)
    expect(err).toMatch(expected)
  })

  it('prints help and its version', async () => {
    expect((await create(['--help'])).out).toContain('--framework')
    expect((await create(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

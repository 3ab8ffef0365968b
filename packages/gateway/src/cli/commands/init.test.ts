import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig, parseConfig, type UserPlaces } from '../../config/index.ts'
import { run } from '../captured-io.test.support.ts'
import { starterConfig } from '../starter-config.ts'

let places: UserPlaces
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'gantry-init-'))
  places = { platform: 'linux', home, env: {}, cwd: home }
})
afterEach(() => rm(places.home, { recursive: true }))

const read = (name: string) => readFile(join(places.cwd, name), 'utf8')

describe('gantry init', () => {
  it.each([
    [[], 'gantry.jsonc'],
    [['--yaml'], 'gantry.yaml'],
    [['deep/own.yml'], 'deep/own.yml'],
    [['own.json'], 'own.json'],
  ])('%s writes a configuration that loads without a warning', async (argv, name) => {
    const { code, out } = await run(places, ['init', ...argv])
    expect(code).toBe(0)
    expect(out).toContain(`gantry check ${name}`)
    const loaded = await loadConfig(join(places.cwd, name), { places })
    expect(loaded).toMatchObject({ ok: true, warnings: [], model: { targets: [{ name: 'files' }] } })
  })

  it('writes no file beside another, unless it is named', async () => {
    await writeFile(join(places.cwd, 'gantry.yaml'), 'mcpServers: {}\n')
    const { code, err } = await run(places, ['init'])
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('gantry.yaml is here already, and only one of two is used'),
    ])
    expect((await run(places, ['init', 'other.jsonc'])).code).toBe(0)
  })

  it('has examples that are right once they are uncommented', async () => {
    const env = { GITHUB_TOKEN: 't', GANTRY_CI_KEY: 'k'.repeat(30) }
    await writeFile(join(places.cwd, 'petstore.yaml'), '')
    const yaml = starterConfig('yaml', undefined).replaceAll(
      /^( *)# (?=( *(- )?[a-z][A-Za-z]*:)|( *Authorization))/gm,
      '$1',
    )
    const json = starterConfig('jsonc', undefined).replaceAll(/^( +)\/\/ (?=["} ])/gm, '$1')
    for (const [name, text] of [
      ['a.yaml', yaml],
      ['a.jsonc', json],
    ] as const) {
      const loaded = await parseConfig(text, { file: join(places.cwd, name), places: { ...places, env } })
      expect(loaded, text).toMatchObject({ ok: true, warnings: [] })
      expect(loaded.ok && loaded.model.targets.map((target) => target.name)).toEqual([
        'files',
        'github',
        'petstore',
      ])
      expect(loaded.ok && loaded.model.policy.rules).toHaveLength(1)
    }
  })

  it('does not write over a file, unless it is told to, and then keeps it', async () => {
    await writeFile(join(places.cwd, 'gantry.jsonc'), '{ "mine": 1 }')
    const refused = await run(places, ['init'])
    expect([refused.code, await read('gantry.jsonc')]).toEqual([1, '{ "mine": 1 }'])
    expect(refused.err).toContain('--force')
    expect((await run(places, ['init', '--force'])).code).toBe(0)
    expect(await read('gantry.jsonc.bak')).toBe('{ "mine": 1 }')
    expect(await read('gantry.jsonc')).toContain('"files"')
  })

  it('points to the schema when it is installed there, and to servers worth importing', async () => {
    const schema = join(places.cwd, 'node_modules', 'gantry', 'schema')
    await mkdir(schema, { recursive: true })
    await writeFile(join(schema, 'gantry.schema.json'), '{}')
    await mkdir(join(places.home, '.cursor'))
    await writeFile(
      join(places.home, '.cursor', 'mcp.json'),
      '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}}}',
    )
    const { json } = await run(places, ['init', '--json'])
    expect(json()).toMatchObject({ ok: true, file: join(places.cwd, 'gantry.jsonc'), importable: 2 })
    expect(await read('gantry.jsonc')).toContain(
      '"$schema": "./node_modules/gantry/schema/gantry.schema.json"',
    )
    expect((await run(places, ['init', 'gantry.yaml'])).out).toContain(
      'take over 2 servers that other clients have',
    )
  })
})

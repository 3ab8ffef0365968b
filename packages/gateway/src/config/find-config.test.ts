import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findConfig, userConfigFile } from './find-config.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-find-'))
})
afterEach(() => rm(dir, { recursive: true }))

describe('findConfig', () => {
  it('looks where it is told, then here, then at home', async () => {
    const places = { platform: 'linux' as const, home: dir, env: {}, cwd: join(dir, 'work') }
    expect(findConfig(places)).toBeUndefined()
    await mkdir(join(dir, '.config', 'gantry'), { recursive: true })
    await mkdir(places.cwd)
    const own = userConfigFile(places)
    await writeFile(own, '{}')
    expect(findConfig(places)).toBe(own)
    await writeFile(join(places.cwd, 'gantry.json'), '{}')
    expect(findConfig(places)).toBe(join(places.cwd, 'gantry.json'))
    expect(findConfig({ ...places, env: { GANTRY_CONFIG: '/etc/g.yaml' } })).toBe('/etc/g.yaml')
    expect(findConfig({ ...places, env: { GANTRY_CONFIG: '/etc/g.yaml' } }, 'x.json')).toBe(
      join(places.cwd, 'x.json'),
    )
  })

  it('knows the settings folder of each platform', () => {
    const base = { home: '/h', env: {}, cwd: '/' }
    expect(userConfigFile({ ...base, platform: 'darwin' })).toBe('/h/.config/gantry/gantry.jsonc')
    expect(userConfigFile({ ...base, platform: 'win32', env: { APPDATA: '/h/Roaming' } })).toBe(
      '/h/Roaming/gantry/gantry.jsonc',
    )
    expect(userConfigFile({ ...base, platform: 'linux', env: { XDG_CONFIG_HOME: '/x' } })).toBe(
      '/x/gantry/gantry.jsonc',
    )
  })
})

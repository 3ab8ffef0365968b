import { describe, expect, it } from 'vitest'
import type { GatewayModel } from '../model/index.ts'
import { diffModels, isEmptyDiff } from './diff-models.ts'
import { configFromValue } from './load-config.ts'
import type { RawConfig } from '../model/index.ts'

async function modelOf(value: RawConfig, env: Record<string, string> = {}): Promise<GatewayModel> {
  const places = { platform: 'linux' as const, home: '/home/me', env, cwd: '/' }
  const result = await configFromValue(value, { places })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.model
}

describe('diffModels', () => {
  const base: RawConfig = {
    mcpServers: {
      keep: { command: 'a', env: { T: '${env:T}' } },
      shown: { command: 'b' },
      moved: { command: 'c' },
      gone: { command: 'd' },
    },
  }

  it('tells added, removed, changed and untouched targets apart', async () => {
    const next: RawConfig = {
      mcpServers: {
        fresh: { command: 'e' },
        moved: { command: 'c', args: ['x'] },
        shown: { command: 'b', tools: { exclude: ['y'] }, timeouts: { idle: '1s' } },
        keep: { command: 'a', env: { T: '${env:T}' } },
      },
    }
    const diff = diffModels(await modelOf(base, { T: '1' }), await modelOf(next, { T: '1' }))
    expect(diff.added.map((target) => target.name)).toEqual(['fresh'])
    expect(diff.removed.map((target) => target.name)).toEqual(['gone'])
    expect(diff.changed.map(({ name, keys, reconnect }) => ({ name, keys, reconnect }))).toEqual([
      { name: 'moved', keys: ['args'], reconnect: true },
      { name: 'shown', keys: ['timeouts', 'tools'], reconnect: false },
    ])
    expect(diff.untouched).toEqual(['keep'])
    expect(diff.sections).toEqual([])
  })

  it('sees that a secret has another value', async () => {
    const diff = diffModels(await modelOf(base, { T: '1' }), await modelOf(base, { T: '2' }))
    expect(diff.changed).toMatchObject([{ name: 'keep', keys: ['env'], reconnect: true }])
  })

  it('reconnects when the kind of a target changes', async () => {
    const diff = diffModels(
      await modelOf({ mcpServers: { a: { command: 'x' } } }),
      await modelOf({ mcpServers: { a: { url: 'http://127.0.0.1:1/mcp' } } }),
    )
    expect(diff.changed).toMatchObject([{ name: 'a', reconnect: true }])
  })

  it('names the sections that differ, and is empty when nothing does', async () => {
    const one = await modelOf({})
    expect(isEmptyDiff(diffModels(one, await modelOf({})))).toBe(true)
    const other = await modelOf({ server: { port: 1 }, policy: { rules: [{ deny: ['*'] }] } })
    expect(diffModels(one, other).sections).toEqual(['server', 'policy'])
  })
})

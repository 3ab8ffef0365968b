import { describe, expect, it } from 'vitest'
import type { RawConfig } from '../../model/index.ts'
import { fillIn } from './fill-in.ts'
import { type JsonSchema, readSchema } from './schema.ts'

const MINUTE = 60_000

/** Settings that the schema has a default for, and that an empty configuration lacks. */
function missing(settings: object, schema: JsonSchema, path: string): string[] {
  return Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([key, part]) => {
    const name = String(part.$ref).split('/').at(-1)!
    const full = { ...(readSchema().$defs as Record<string, JsonSchema>)[name], ...part }
    const value = (settings as Record<string, unknown>)[key]
    if (value === undefined) return 'default' in full ? [`${path}${key}`] : []
    return full.properties ? missing(value as object, full, `${path}${key}.`) : []
  })
}

describe('fillIn', () => {
  it('fills in every default, also of objects that are not there', () => {
    const settings = fillIn({ mcpServers: { a: { command: 'x' } } })
    expect(missing(settings, readSchema(), '')).toEqual([])
    const { target } = readSchema().$defs as Record<string, JsonSchema>
    expect(missing(settings.mcpServers!.a!, target!, 'a.')).toEqual([])
    expect(settings.server.limits).toMatchObject({ bodyBytes: 16 * 1024 ** 2, stallTimeout: MINUTE / 2 })
  })

  it('leaves out what is only there when it is wanted', () => {
    const { server, store, telemetry, audit, auth } = fillIn({})
    expect([server.cluster, store.redis, telemetry.otlp, audit, auth.signIn]).toEqual(
      Array(5).fill(undefined),
    )
    expect(fillIn({ audit: {} }).audit).toMatchObject({ required: false, sync: 1000 })
  })

  it('lets a target take each setting from itself, else from `defaults`, else from the schema', () => {
    const { servers } = fillIn({
      defaults: { timeouts: { idle: '5s', start: 1000 }, health: { interval: false } },
      servers: { a: { url: 'http://x', timeouts: { start: '1m' } } },
    })
    expect(servers!.a!.timeouts).toEqual({
      start: MINUTE,
      idle: 5000,
      install: 15 * MINUTE,
      request: 10 * MINUTE,
    })
    expect(servers!.a!.health).toMatchObject({ interval: false, failures: 3 })
  })

  it('fills in what stands in lists and in alternatives', () => {
    const issuer = { issuer: 'https://x', audience: 'y' }
    const raw: RawConfig = {
      auth: { bearer: issuer },
      policy: { rules: [{ allow: ['a'], approve: {}, who: { principals: ['p', { subject: 's' }] } }] },
      results: [{ mask: ['email', { path: 'a.b' }] }],
    }
    expect(fillIn(raw)).toMatchObject({
      auth: { bearer: { ...issuer, scopes: [] } },
      policy: {
        rules: [
          {
            approve: { by: 'operator', within: 15 * MINUTE },
            who: { principals: ['p', { kind: 'person', subject: 's' }] },
          },
        ],
      },
      results: [{ mask: ['email', { path: 'a.b' }], drop: [] }],
    })
    expect(fillIn({ auth: { bearer: [issuer, issuer] } }).auth.bearer).toHaveLength(2)
  })

  it('keeps keys that objects have by themselves', () => {
    const env = JSON.parse('{ "__proto__": "1", "constructor": "2" }') as Record<string, string>
    const { mcpServers } = fillIn({ mcpServers: { a: { command: 'x', env } } })
    expect(Object.entries(mcpServers!.a!.env)).toEqual(Object.entries(env))
  })
})

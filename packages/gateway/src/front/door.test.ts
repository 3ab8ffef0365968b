import { describe, expect, it } from 'vitest'
import { configFromValue, type RawConfig } from '../config/index.ts'
import type { GatewayModel } from '../model/index.ts'
import { KeptKeys } from '../identity/keys/kept-keys.ts'
import { createMemoryStore } from '../store/index.ts'
import { Door } from './door.ts'

const KEY = 'a-key-that-is-long-enough'
const store = createMemoryStore()
const OPTIONS = {
  keys: new KeptKeys(store),
  store,
  log: () => {},
  onRefused: () => {},
  onConsent: () => {},
  accountsOf: async () => [],
}
const auth = { apiKeys: [{ name: 'ops', key: KEY }] }

async function modelOf(config: RawConfig): Promise<GatewayModel> {
  const loaded = await configFromValue(config)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.model
}

async function isLetIn(door: Door, authorization?: string): Promise<boolean> {
  if (!door.guard) return true
  const headers = authorization === undefined ? {} : { authorization }
  const verdict = await door.guard({ method: 'POST', url: '/mcp', headers } as never)
  return !('status' in verdict)
}

describe('the door of a gateway that loses its keys', () => {
  it.each([
    ['listens for other machines', { host: '0.0.0.0' }],
    ['is behind a proxy', { publicUrl: 'https://gate.example.com' }],
  ])('stays shut while it %s', async (_, server) => {
    const door = await Door.create(await modelOf({ server, auth }), OPTIONS)
    expect([await isLetIn(door), await isLetIn(door, `Bearer ${KEY}`)]).toEqual([false, true])
    // The address changes with the next start only.
    await door.setModel(await modelOf({}))
    expect([await isLetIn(door), await isLetIn(door, `Bearer ${KEY}`)]).toEqual([false, false])
  })

  it('opens where only this machine reaches it', async () => {
    const door = await Door.create(await modelOf({ auth }), OPTIONS)
    expect(await isLetIn(door)).toBe(false)
    await door.setModel(await modelOf({}))
    expect(await isLetIn(door)).toBe(true)
  })
})

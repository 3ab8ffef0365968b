import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Principal } from '@gantry/mcp/exchange'
import { createMemoryStore, type Store } from '../../store/index.ts'
import { KeyRing, type KeyFile } from './key-ring.ts'
import { personalStorage } from './personal-storage.ts'
import { Vault, type Place } from './vault.ts'

const person = (subject: string, issuer = 'https://a.example'): Principal => ({
  kind: 'person',
  issuer,
  subject,
})
const at = (principal: Principal, target = 'web'): Place => ({
  principal,
  target,
  server: 'https://web.example',
})
const ANN = at(person('ann'))

let store: Store
let keys: readonly string[]
let said: string[]
const learned: string[] = []
const file: KeyFile = {
  load: async () => keys,
  save: async (next) => {
    keys = next
  },
  create: () => `key-${keys.length + 1}-${'x'.repeat(40)}`,
}
const open = (): Vault =>
  new Vault({
    store,
    ring: new KeyRing(file),
    learnSecret: (value) => void learned.push(value),
    log: (_, message) => void said.push(message),
  })

beforeEach(() => {
  store = createMemoryStore()
  keys = [`key-1-${'x'.repeat(40)}`]
  said = []
})
afterEach(() => store.close())

const rows = () => store.rows({ name: 'vault' })

it('gives an account to its owner alone: kind, issuer, subject, target and server have to be the same', async () => {
  const vault = open()
  await vault.put({ ...ANN, connectedAt: 1, values: { TOKEN: 'secret-of-ann' } })
  expect((await vault.get(ANN))?.entry.values).toEqual({ TOKEN: 'secret-of-ann' })
  expect(learned).toContain('secret-of-ann')
  const others: Place[] = [
    at(person('bob')),
    at(person('ann', 'https://b.example')),
    at({ kind: 'person', issuer: undefined, subject: 'ann' }),
    at({ kind: 'key', issuer: undefined, subject: 'ann' }),
    at(person('ann'), 'other'),
    { ...ANN, server: 'https://moved.example' },
  ]
  for (const other of others) expect(await vault.get(other)).toBeUndefined()
  expect(await vault.list(person('bob'))).toEqual([])
  expect((await vault.list(person('ann'))).map(({ target, kind }) => [target, kind])).toEqual([
    ['web', 'key'],
  ])
})

it('keeps nothing that can be read, and does not open what was moved, cut off or is of another key', async () => {
  const vault = open()
  await vault.put({ ...ANN, connectedAt: 1, values: { TOKEN: 'secret-of-ann' } })
  await vault.put({ ...at(person('bob')), connectedAt: 1, values: { TOKEN: 'secret-of-bob' } })
  const [one, two] = await rows().list()
  expect(one!.value + two!.value).not.toMatch(/secret|ann|bob|web/)
  await rows().put(one!.key, two!.value)
  await rows().put(two!.key, two!.value.slice(0, 40))
  expect([await vault.get(ANN), await vault.get(at(person('bob')))]).toEqual([undefined, undefined])
  await rows().put(one!.key, one!.value)
  await rows().put(two!.key, two!.value)
  keys = [`another-${'y'.repeat(40)}`]
  expect(await open().get(ANN)).toBeUndefined()
  expect(said.every((text) => text.includes('has to connect again'))).toBe(true)
  expect(said).toHaveLength(3)
})

it('changes its key while others go on, and takes old keys out when nothing is under them', async () => {
  const [vault, running] = [open(), open()]
  for (const name of ['ann', 'bob'])
    await vault.put({ ...at(person(name)), connectedAt: 1, values: { T: name } })
  const { kid, rows: count, unreadable } = await vault.rotate()
  expect([count, unreadable, keys.length]).toEqual([2, 0, 2])
  expect((await vault.keys())[0]).toEqual({ kid, rows: 2 })
  expect((await running.get(ANN))?.entry.values).toEqual({ T: 'ann' })
  await running.put({ ...ANN, connectedAt: 2, values: { T: 'new' } })
  await vault.rotate()
  expect(keys).toHaveLength(2)
  expect((await running.get(ANN))?.entry.values).toEqual({ T: 'new' })
  expect((await vault.list()).every((row) => row.kid === kid)).toBe(false)
})

it('a renewal does not bring back an account that was disconnected meanwhile', async () => {
  const vault = open()
  await vault.put({ ...ANN, connectedAt: 1, tokens: { accessToken: 'old' } })
  const storage = personalStorage(vault, ANN)
  const renewing = storage.lock('tokens', async () => {
    await storage.read('tokens')
    await vault.remove(ANN)
    return storage.write('tokens', { accessToken: 'new' })
  })
  expect(await renewing).toBe(false)
  expect(await vault.get(ANN)).toBeUndefined()
})

it('new tokens are stored although the keys were rotated, or the lease was lost, since the old ones were read', async () => {
  const vault = open()
  await vault.put({ ...ANN, connectedAt: 1, tokens: { accessToken: 'old' } })
  const storage = personalStorage(vault, ANN)
  const renewing = storage.lock('tokens', async (isHeld) => {
    await storage.read('tokens')
    await vault.rotate()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    expect(isHeld?.()).toBe(false)
    return storage.write('tokens', { accessToken: 'new' })
  })
  expect(await renewing).toBe(true)
  vi.useRealTimers()
  const { entry } = (await vault.get(ANN))!
  expect(entry).toMatchObject({ connectedAt: 1, tokens: { accessToken: 'new' } })
})

it('a process that stood still while it renewed does not write over what another has stored', async () => {
  const vault = open()
  await vault.put({ ...ANN, connectedAt: 1, tokens: { accessToken: 'old' } })
  const [slow, quick] = [personalStorage(vault, ANN), personalStorage(vault, ANN)]
  const renewing = slow.lock('tokens', async () => {
    await slow.read('tokens')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    await quick.lock('tokens', async () => {
      await quick.read('tokens')
      await quick.write('tokens', { accessToken: 'newer' })
    })
    return slow.write('tokens', { accessToken: 'new' })
  })
  expect(await renewing).toBe(false)
  vi.useRealTimers()
  expect((await vault.get(ANN))?.entry.tokens).toEqual({ accessToken: 'newer' })
})

import { chown, lchown, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Sealer } from '@gantry/mcp/exchange'
import type { GatewayModel } from '../model/index.ts'
import { openState, type State } from './open-state.ts'

let dir: string
const said: string[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-seal-'))
  said.length = 0
})
afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close()
  await rm(dir, { recursive: true, force: true })
})

const file = (): string => join(dir, 'sealing.key')
const opened: State[] = []
const open = async (keys: readonly string[] = []): Promise<State> => {
  const sealingKeys = keys.map((key) => ({ reveal: () => key }))
  const store = { kind: 'embedded', path: join(dir, 'store.mdb'), maxBytes: 10_000_000 }
  const model = { server: { sealingKeys }, stateDir: dir, store } as unknown as GatewayModel
  const state = await openState(model, (_level, text) => said.push(text))
  opened.push(state)
  return state
}
const create = async (): Promise<State['sealer']> => (await open()).sealer

it('keeps one key for everybody who starts here', async () => {
  const sealers = await Promise.all([create(), create(), create()])
  const sealed = await sealers[0]!.seal('kept', 'x')
  for (const sealer of [...sealers, await create()]) expect(await sealer.open(sealed, 'x')).toBe('kept')
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect(said).toEqual([])
})

it.each(['', '\n', 'cut-off', '\0'.repeat(43)])('makes a new key where the file holds %j', async (text) => {
  await writeFile(file(), text, { mode: 0o600 })
  const sealed = await (await create()).seal('kept', 'x')
  expect(said).toEqual([expect.stringContaining('is empty or was cut off')])
  expect((await readFile(file(), 'utf8')).length).toBe(43)
  expect(await (await create()).open(sealed, 'x')).toBe('kept')
  expect(said).toHaveLength(1)
})

describe.skipIf(process.getuid?.() !== 0)(
  'what another user has put into the state folder is not used',
  () => {
    const STRANGER = 12_345
    const KNOWN = 'a-key-that-another-user-knows-from-somewhere'
    const isRefused = async (): Promise<void> => {
      const { sealer, store, isKept } = await open()
      expect(await sealer.open(await new Sealer([KNOWN]).seal('forged', 'x'), 'x')).toBeUndefined()
      expect([store.kind, isKept]).toEqual(['memory', false])
      expect(said).toEqual([expect.stringMatching(/cannot be kept.* belongs to another user/)])
    }

    it('a key', async () => {
      await writeFile(file(), KNOWN, { mode: 0o600 })
      await chown(file(), STRANGER, STRANGER)
      await isRefused()
    })

    it('a link to a file of ours whose text is known', async () => {
      await writeFile(join(dir, 'id.pub'), KNOWN)
      await symlink(join(dir, 'id.pub'), file())
      await lchown(file(), STRANGER, STRANGER)
      await isRefused()
    })

    it('a store', async () => {
      await (await open()).store.close()
      await chown(join(dir, 'store.mdb'), STRANGER, STRANGER)
      await isRefused()
    })
  },
)

it('goes on without a folder that cannot be used, and says so once', async () => {
  await rm(dir, { recursive: true })
  await writeFile(dir, 'not a folder')
  const { sealer, store, isKept } = await open()
  expect(await sealer.open(await sealer.seal('kept', 'x'), 'x')).toBe('kept')
  expect([store.kind, isKept]).toEqual(['memory', false])
  expect(said).toEqual([expect.stringContaining('cannot be kept')])
})

it('goes on without a store that is damaged, leaves it alone and says so', async () => {
  await writeFile(join(dir, 'store.mdb'), 'something else '.repeat(1000))
  const { store } = await open()
  expect(store.kind).toBe('memory')
  expect(said).toEqual([expect.stringContaining('is not a store, or is damaged')])
  expect((await stat(join(dir, 'store.mdb'))).size).toBe(15_000)
})

it('closes a key that others could read, and says so', async () => {
  await writeFile(file(), 'a-key-that-others-could-read-for-a-long-time', { mode: 0o644 })
  await open()
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect(said).toEqual([expect.stringContaining('could be read by other users')])
})

const SECRETS = { name: 'tokens', secret: true }

it('reads secrets of every key that it has: old ones in the file, and those before keys were configured', async () => {
  await (await open()).store.rows(SECRETS).put('a', 'by the first key')
  const first = await readFile(file(), 'utf8')
  const running = await open()
  await writeFile(file(), `a-newer-key-that-is-put-before-the-first-one\n${first}`, { mode: 0o600 })
  const rotated = await open()
  expect((await rotated.store.rows(SECRETS).get('a'))?.value).toBe('by the first key')
  await rotated.store.rows(SECRETS).put('b', 'by the new key')
  // One that has been running since before the change takes the key up.
  expect((await running.store.rows(SECRETS).get('b'))?.value).toBe('by the new key')
  const configured = await open(['c'.repeat(40)])
  expect((await configured.store.rows(SECRETS).list()).length).toBe(2)
  await configured.store.rows(SECRETS).put('c', 'by the configured key')
  await expect(rotated.store.rows(SECRETS).get('c')).rejects.toMatchObject({ code: 'unreadable' })
  expect(said).toEqual([])
})

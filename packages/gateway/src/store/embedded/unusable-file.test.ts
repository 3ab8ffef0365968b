import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sealer } from '@gantry/mcp/exchange'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmbeddedStore, type Store } from '../index.ts'

const KEY = 'a key of the tests, long enough!'
let folder: string
let path: string

const open = (keys: readonly string[] = [KEY]): Promise<Store> =>
  openEmbeddedStore({ path, sealing: new Sealer(keys) })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-store-'))
  path = join(folder, 'made', 'on the way', 'store.mdb')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function fill(): Promise<void> {
  const store = await open()
  const rows = store.rows({ name: 'things' })
  for (let index = 0; index < 50; index += 1) await rows.put(`k${index}`, 'x'.repeat(5000))
  await store.close()
}

it('keeps rows over a restart, for their owner alone', async () => {
  await fill()
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const store = await open()
  expect((await store.rows({ name: 'things' }).list()).length).toBe(50)
  await store.close()
})

it.each([0.3, 0.9])('refuses a file of which only %d is left, and the process lives', async (part) => {
  await fill()
  await truncate(path, Math.floor((await stat(path)).size * part))
  await expect(open()).rejects.toMatchObject({
    code: 'unusable',
    message: expect.stringContaining('was cut off'),
  })
})

it('refuses a file that is something else, and leaves it as it is', async () => {
  await fill()
  await writeFile(path, 'not a store '.repeat(5000))
  await expect(open()).rejects.toMatchObject({ code: 'unusable' })
  expect((await stat(path)).size).toBe(60_000)
})

it.each(['', '-lock'])('refuses a pipe instead of store.mdb%s, and does not wait for it', async (suffix) => {
  await fill()
  await rm(path + suffix)
  spawnSync('mkfifo', [path + suffix])
  await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('is not a regular file') })
})

it('refuses a folder that cannot be made', async () => {
  await writeFile(join(folder, 'made'), '')
  await expect(open()).rejects.toMatchObject({ code: 'unusable' })
})

it('opens again after the reason is gone', async () => {
  await fill()
  await chmod(path, 0o600)
  const { size } = await stat(path)
  await writeFile(`${path}.copy`, '')
  await truncate(path, size - 4096)
  await expect(open()).rejects.toMatchObject({ code: 'unusable' })
  await rm(path)
  const store = await open()
  await store.rows({ name: 'things' }).put('a', '1')
  await store.close()
})

it('encrypts secrets, and reads what older keys have written', async () => {
  const old = await open(['an older key that is long enough'])
  await old.rows({ name: 'tokens', secret: true }).put('a', 'hush, a secret')
  const [row] = await old.scan(undefined, 1)
  expect(Buffer.from(row!.bytes).toString()).not.toContain('hush')
  await old.close()
  const rotated = await open([KEY, 'an older key that is long enough'])
  const rows = rotated.rows({ name: 'tokens', secret: true })
  expect((await rows.get('a'))?.value).toBe('hush, a secret')
  await rows.put('b', 'another')
  await rotated.close()
  const later = await open([KEY])
  await expect(later.rows({ name: 'tokens', secret: true }).get('a')).rejects.toMatchObject({
    code: 'unreadable',
  })
  expect((await later.rows({ name: 'tokens', secret: true }).get('b'))?.value).toBe('another')
  await later.close()
})

it('keeps no secret without a key, and gives none to another row', async () => {
  const plain = await openEmbeddedStore({ path })
  expect(() => plain.rows({ name: 'tokens', secret: true })).toThrow(TypeError)
  await plain.close()
  const store = await open()
  const rows = store.rows({ name: 'tokens', secret: true })
  await rows.put('a', 'of a')
  const [row] = await store.scan(undefined, 1)
  await expect(store.reveal({ ...row!, key: 'b' })).rejects.toMatchObject({ code: 'unreadable' })
  expect(await store.reveal(row!)).toBe('of a')
  await store.close()
})

it('ends writes that are under way before it closes', async () => {
  const store = await open()
  const writes = [1, 2, 3].map((n) => store.rows({ name: 'tokens', secret: true }).put(`k${n}`, 'v'))
  await store.close()
  await Promise.all(writes)
  const again = await open()
  expect((await again.rows({ name: 'tokens', secret: true }).list()).length).toBe(3)
  await again.close()
})

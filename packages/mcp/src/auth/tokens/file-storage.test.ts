import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { fileStorage } from './file-storage.node.ts'
import { memoryStorage, type TokenStorage } from './token-storage.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tokens-'))
  path = join(folder, 'deep', 'tokens')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe.each<[string, () => TokenStorage]>([
  ['memory', () => memoryStorage()],
  ['file', () => fileStorage({ path })],
])('a %s storage', (_, create) => {
  it('gives back what was written, until it is removed', async () => {
    const storage = create()
    expect(await storage.read('a')).toBeUndefined()
    await storage.write('a', { token: 'ä "1"' })
    await storage.write('__proto__', { token: '2' })
    expect([await storage.read('a'), await storage.read('__proto__')]).toEqual([
      { token: 'ä "1"' },
      { token: '2' },
    ])
    await storage.remove('a')
    expect(await storage.read('a')).toBeUndefined()
    expect(await storage.read('constructor')).toBeUndefined()
  })

  it('loses no write of many at once', async () => {
    const storage = create()
    await Promise.all(Array.from({ length: 20 }, (_, index) => storage.write(`k${index}`, { index })))
    const values = await Promise.all(Array.from({ length: 20 }, (_, index) => storage.read(`k${index}`)))
    expect(values).toEqual(Array.from({ length: 20 }, (_, index) => ({ index })))
  })

  it('runs one at a time under one key, failures included, and other keys meanwhile', async () => {
    const storage = create()
    let running = 0
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, ++running)
      await storage.lock('other', async () => {})
      running -= 1
      throw new Error('failed')
    }
    await Promise.allSettled(Array.from({ length: 5 }, () => storage.lock('key', work)))
    expect(most).toBe(1)
    expect(await storage.lock('key', async () => 'free')).toBe('free')
  })
})

describe('a file storage', () => {
  it('is for its owner alone, encrypted, and leaves nothing else behind', async () => {
    const storage = fileStorage({ path })
    await storage.write('server', { accessToken: 'very-secret' })
    await storage.lock('server', async () => {})
    expect(await readdir(join(folder, 'deep'))).toEqual(['tokens', 'tokens.key'])
    expect(await readFile(path, 'utf8')).not.toMatch(/very-secret|server/)
    const modes = await Promise.all([path, `${path}.key`, join(folder, 'deep')].map((file) => stat(file)))
    expect(modes.map(({ mode }) => (mode & 0o777).toString(8))).toEqual(['600', '600', '700'])
  })

  it('can be read by a second instance, and with a given key only with that one', async () => {
    await fileStorage({ path }).write('a', { n: 1 })
    expect(await fileStorage({ path }).read('a')).toEqual({ n: 1 })
    const key = Buffer.alloc(32, 7)
    const other = join(folder, 'other')
    await fileStorage({ path: other, key }).write('a', { n: 2 })
    expect(await fileStorage({ path: other, key: key.toString('base64') }).read('a')).toEqual({ n: 2 })
    const wrong = fileStorage({ path: other, key: Buffer.alloc(32, 8) })
    await expect(wrong.read('a')).rejects.toMatchObject({ code: 'oauth', details: { check: 'storage' } })
  })

  it('refuses a damaged file instead of forgetting what it held', async () => {
    const storage = fileStorage({ path })
    await storage.write('a', { n: 1 })
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace(/.$/m, (last) => (last === 'A' ? 'B' : 'A')).slice(0, -6))
    await expect(storage.read('a')).rejects.toThrow(/cannot be decrypted/)
    await expect(storage.write('b', {})).rejects.toThrow(/cannot be decrypted/)
  })

  it('refuses a key file that others can read, and a key of the wrong size', async () => {
    await fileStorage({ path }).write('a', { n: 1 })
    await chmod(`${path}.key`, 0o644)
    await expect(fileStorage({ path }).read('a')).rejects.toThrow(/mode 644/)
    await expect(fileStorage({ path, key: 'c2hvcnQ=' }).read('a')).rejects.toThrow(/32 bytes/)
  })

  it('takes over the lock of a process that is silent, and waits for one that is not', async () => {
    const storage = fileStorage({ path })
    let lockFile = ''
    await storage.lock('key', async () => {
      const name = (await readdir(join(folder, 'deep'))).find((file) => file.endsWith('.lock'))
      lockFile = join(folder, 'deep', name as string)
    })
    await writeFile(lockFile, JSON.stringify({ id: 'x', pid: 1, host: 'elsewhere' }))
    const abort = new AbortController()
    const waiting = storage.lock('key', async () => 'never', abort.signal)
    abort.abort()
    await expect(waiting).rejects.toThrow()
    const longAgo = new Date(Date.now() - 120_000)
    await utimes(lockFile, longAgo, longAgo)
    expect(await storage.lock('key', async () => 'mine')).toBe('mine')
  })
})

it('a file storage says that its lock is lost when its process was silent for too long', async () => {
  await fileStorage({ path }).lock('key', async (isHeld) => {
    expect(isHeld?.()).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    expect(isHeld?.()).toBe(false)
    vi.useRealTimers()
  })
})

describe('a file storage of several processes', () => {
  let script: string
  beforeAll(async () => {
    const out = await mkdtemp(join(tmpdir(), 'tokens-script-'))
    script = join(out, 'worker.mjs')
    const source = fileURLToPath(new URL('../fixtures/storage-worker.test.node.ts', import.meta.url))
    await build({
      entryPoints: [source],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
    return () => rm(out, { recursive: true, force: true })
  })

  function start(...args: string[]): ChildProcess {
    return fork(script, [path, ...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  }

  it('lets one at a time count under the lock, and loses no count', async () => {
    const children = Array.from({ length: 4 }, () => start('count', '15'))
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
    expect(codes).toEqual([0, 0, 0, 0])
    expect(await fileStorage({ path }).read('counter')).toEqual({ value: 60 })
  })

  it('frees the lock of a process that was killed while it held it', async () => {
    const child = start('hold')
    await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await fileStorage({ path }).lock('counter', async () => 'mine')).toBe('mine')
  })
})

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isJsonObject, type JsonObject, type McpError } from '../../jsonrpc/index.ts'
import { requireKnownOptions } from '../../protocol/index.ts'
import { withFileLock } from './file-lock.node.ts'
import { oauthError } from '../http/oauth-error.ts'
import { keyedMutex, type TokenStorage } from './token-storage.ts'

export interface FileStorageOptions {
  /** The encrypted file. Its directory is made, for the user alone, when it is missing. */
  path: string
  /** 32 bytes or their Base64. Default: GANTRY_TOKEN_KEY, else a private `.key` file beside the other. */
  key?: Uint8Array | string
}

const HEADER = 'gantry tokens 1'

/** Keeps tokens in one encrypted file (AES-256-GCM), for any number of processes at once. */
export function fileStorage(options: FileStorageOptions): TokenStorage {
  requireKnownOptions('storage of tokens', { path: 'text', key: 1 }, options)
  const path = resolve(options.path)
  const mutex = keyedMutex()
  const prepare = once(async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return loadKey(path, options.key)
  })
  const lockPath = (name: string): string => `${path}.${name}.lock`
  const change = (edit: (values: JsonObject) => void): Promise<void> =>
    mutex('write', async () => {
      const key = await prepare()
      await withFileLock(lockPath('write'), async () => {
        const values = await readValues(path, key)
        edit(values)
        await replaceFile(path, seal(JSON.stringify(values), key))
      })
    })
  return {
    async read(name) {
      const values = await readValues(path, await prepare())
      const value = Object.hasOwn(values, name) ? values[name] : undefined
      return isJsonObject(value) ? value : undefined
    },
    write: (name, value) =>
      change((values) => {
        Object.defineProperty(values, name, { value, enumerable: true, configurable: true, writable: true })
      }),
    remove: (name) =>
      change((values) => {
        delete values[name]
      }),
    async lock(name, run, signal) {
      await prepare()
      const digest = createHash('sha256').update(name).digest('hex').slice(0, 16)
      // In this process first: a file lock knows no order and is slower to hand over.
      return mutex(`lock ${name}`, () => withFileLock(lockPath(digest), run, signal))
    },
  }
}

/** All entries of a token file, to move them elsewhere. */
export async function readTokenFile(options: FileStorageOptions): Promise<JsonObject> {
  const path = resolve(options.path)
  return readValues(path, await loadKey(path, options.key))
}

async function readValues(path: string, key: Buffer): Promise<JsonObject> {
  let sealed: string
  try {
    sealed = await readFile(path, 'utf8')
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw thrown
  }
  try {
    const values: unknown = JSON.parse(unseal(sealed, key))
    if (isJsonObject(values)) return values
  } catch (cause) {
    throw damaged(path, cause)
  }
  throw damaged(path)
}

function damaged(path: string, cause?: unknown): McpError {
  return oauthError('storage', 'the token file cannot be decrypted', {
    url: path,
    found: 'another key or a damaged file',
    fix: 'Give the key that it was written with, or delete the file and sign in again.',
    cause,
  })
}

function seal(text: string, key: Buffer): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(HEADER))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `${HEADER}\n${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')}\n`
}

function unseal(sealed: string, key: Buffer): string {
  const [header, body = ''] = sealed.split('\n')
  if (header !== HEADER) throw new Error('not a token file')
  const bytes = Buffer.from(body, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(HEADER)).setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}

/** Writes a new file and renames it: a reader sees the old file or the new file, and a crash leaves one of the two. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true })
    await rename(temporary, path)
  } catch (thrown) {
    await rm(temporary, { force: true })
    throw thrown
  }
}

async function loadKey(path: string, given: Uint8Array | string | undefined): Promise<Buffer> {
  const key = given ?? process.env.GANTRY_TOKEN_KEY
  if (key !== undefined) return checkKey(key, given === undefined ? 'GANTRY_TOKEN_KEY' : 'the key option')
  const keyPath = `${path}.key`
  try {
    await writeFile(keyPath, `${randomBytes(32).toString('base64')}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    })
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
  }
  const { mode } = await stat(keyPath)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw oauthError('storage', 'the key file can be read by other users', {
      url: keyPath,
      expected: 'mode 600',
      found: `mode ${(mode & 0o777).toString(8)}`,
      fix: 'Treat the tokens as seen: sign out, delete both files, and sign in again.',
    })
  }
  return checkKey(await readKeyFile(keyPath), keyPath)
}

/** Another process may have created the file and not have written it yet. */
async function readKeyFile(path: string): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    const text = (await readFile(path, 'utf8')).trim()
    if (text !== '' || attempt === 50) return text
    await new Promise((done) => setTimeout(done, 10))
  }
}

function checkKey(key: Uint8Array | string, from: string): Buffer {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'base64') : Buffer.from(key)
  if (bytes.length === 32) return bytes
  throw oauthError('storage', `${from} is not a key`, {
    expected: '32 bytes, in Base64 where it is text',
    found: `${bytes.length} bytes`,
    fix: 'openssl rand -base64 32 makes one.',
  })
}

/** Runs once; a failure is forgotten, so that the next call tries again. */
function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= run().catch((thrown: unknown) => {
      result = undefined
      throw thrown
    })
    return result
  }
}

import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonReader, writeJson } from '@gantry/mcp/exchange'
import { readSmallFile } from '../model/index.ts'
import type { Snapshot } from './fetch-lists.ts'

const readJson = jsonReader('source')
const MAX_BYTES = 256 * 1024 * 1024

/** What an earlier run knew of a target: its lists, or why it had none. */
export type Kept = { readonly snapshot: Snapshot } | { readonly missing: string }

/** Keeps the last-known lists on disk, so that a restart does not make clients' tools disappear. */
export class CatalogStore {
  readonly #dir: string
  readonly #onError: (error: unknown) => void
  readonly #writing = new Map<string, Promise<void>>()

  constructor(dir: string, onError: (error: unknown) => void) {
    this.#dir = dir
    this.#onError = onError
  }

  async read(target: string): Promise<Kept | undefined> {
    try {
      const text = await readSmallFile(this.#file(target), { most: MAX_BYTES })
      const kept = readJson(text) as Snapshot | { missing: string }
      if ('missing' in kept) return { missing: String(kept.missing) }
      return Array.isArray(kept.tools) && kept.discovery ? { snapshot: kept } : undefined
    } catch {
      // No file, or one that cannot be read: the target is asked instead.
      return undefined
    }
  }

  /** Written in the background, one after the other for each target; a crash leaves the old file whole. */
  write(target: string, kept: Kept): void {
    const before = this.#writing.get(target) ?? Promise.resolve()
    const next = before.then(() => this.#write(target, kept)).catch(this.#onError)
    this.#writing.set(target, next)
  }

  async #write(target: string, kept: Kept): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const file = this.#file(target)
    await writeFile(`${file}.new`, writeJson('snapshot' in kept ? kept.snapshot : kept), { mode: 0o600 })
    await rename(`${file}.new`, file)
  }

  /** Resolves when everything is on disk. */
  async flush(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  /** Target names may hold anything but "/": the hash keeps them apart, the rest keeps them readable. */
  #file(target: string): string {
    const readable = target.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40)
    const hash = createHash('sha256').update(target).digest('hex').slice(0, 8)
    return join(this.#dir, `${readable}-${hash}.json`)
  }
}

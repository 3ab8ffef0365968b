import { mkdir, open, type FileHandle } from 'node:fs/promises'
// Only this file: a thread that writes needs nothing else of the model.
import { refuseForeign } from '../../model/file-owner.ts'
import { segmentOf } from '../segments.ts'
import type { WriterSettings } from './writer-client.ts'

/** Appends lines to the files of one chain. What could only be written in part is taken back. */
export class SegmentWriter {
  readonly #settings: Pick<WriterSettings, 'chain' | 'folder' | 'maxFileBytes' | 'sync'>
  #number = 0
  #handle: FileHandle | undefined
  #bytes = 0
  /** Whether something was written and is not safe yet. */
  #isDirty = false
  /** When it was safe last, by the clock that never jumps. */
  #syncedAt = 0
  #syncing: NodeJS.Timeout | undefined

  constructor(settings: Pick<WriterSettings, 'chain' | 'folder' | 'maxFileBytes' | 'sync'>) {
    this.#settings = settings
  }

  /** The file that is written now. */
  get file(): string | undefined {
    const { folder, chain } = this.#settings
    return this.#number === 0 ? undefined : segmentOf(folder, chain, this.#number).file
  }

  async append(data: Uint8Array): Promise<void> {
    const handle = this.#handle ?? (await this.#open())
    try {
      for (let written = 0; written < data.length; ) {
        const { bytesWritten } = await handle.write(
          data,
          written,
          data.length - written,
          this.#bytes + written,
        )
        written += bytesWritten
      }
    } catch (error) {
      await handle.truncate(this.#bytes).catch(() => {})
      throw error
    }
    this.#bytes += data.length
    this.#isDirty = true
  }

  async sync(): Promise<void> {
    if (!this.#isDirty) return
    // Lines that are written meanwhile are not on disk yet.
    this.#isDirty = false
    try {
      await this.#handle?.datasync()
    } catch (error) {
      this.#isDirty = true
      throw error
    }
    this.#syncedAt = performance.now()
  }

  /** In how many milliseconds what was written has to be safe. */
  get #syncDue(): number {
    return this.#syncedAt + this.#settings.sync - performance.now()
  }

  get isSyncDue(): boolean {
    return this.#syncDue <= 0
  }

  /** Syncs the last events of a burst as well: by one timer, as a disk that syncs all the time writes slowly. */
  syncSoon(isBusy: () => boolean): void {
    if (this.#syncing || !this.#isDirty) return
    const sync = (): void => {
      this.#syncing = undefined
      if (isBusy()) return
      if (this.isSyncDue) this.sync().catch(() => {})
      else this.syncSoon(isBusy)
    }
    this.#syncing = setTimeout(sync, Math.max(this.#syncDue, 1)).unref()
  }

  /** Begins a new file when this one is long enough; says whether it did. */
  async rotate(): Promise<boolean> {
    if (this.#bytes < this.#settings.maxFileBytes) return false
    await this.close()
    return true
  }

  async close(): Promise<void> {
    clearTimeout(this.#syncing)
    this.#syncing = undefined
    await this.sync()
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #open(): Promise<FileHandle> {
    const { folder, chain } = this.#settings
    await mkdir(folder, { recursive: true, mode: 0o700 })
    refuseForeign(folder)
    const next = segmentOf(folder, chain, this.#number + 1)
    this.#handle = await open(next.file, 'wx', 0o600)
    this.#number++
    this.#bytes = 0
    return this.#handle
  }
}

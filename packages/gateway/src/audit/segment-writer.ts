import { mkdir, open, type FileHandle } from 'node:fs/promises'
import { refuseForeign } from '../model/index.ts'
import { segmentOf, type Segment } from './segments.ts'

/** Appends lines to the files of one chain. What could only be written in part is taken back. */
export class SegmentWriter {
  readonly #folder: string
  readonly #chain: string
  readonly #maxBytes: number
  #number = 0
  #handle: FileHandle | undefined
  #bytes = 0
  #isDirty = false

  constructor(folder: string, chain: string, maxBytes: number) {
    this.#folder = folder
    this.#chain = chain
    this.#maxBytes = maxBytes
  }

  /** The file that is written now. */
  get segment(): Segment | undefined {
    return this.#number === 0 ? undefined : segmentOf(this.#folder, this.#chain, this.#number)
  }

  /** Whether something was written and is not safe yet. */
  get isDirty(): boolean {
    return this.#isDirty
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
  }

  /** Begins a new file when this one is long enough; says whether it did. */
  async rotate(): Promise<boolean> {
    if (this.#bytes < this.#maxBytes) return false
    await this.close()
    return true
  }

  async close(): Promise<void> {
    await this.sync()
    await this.#handle?.close()
    this.#handle = undefined
  }

  async #open(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    refuseForeign(this.#folder)
    const next = segmentOf(this.#folder, this.#chain, this.#number + 1)
    this.#handle = await open(next.file, 'wx', 0o600)
    this.#number++
    this.#bytes = 0
    return this.#handle
  }
}

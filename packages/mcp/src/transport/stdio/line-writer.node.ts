import type { Writable } from 'node:stream'
import { LateJson, LongJson } from '../../jsonrpc/index.ts'
import { SLICE, SliceEncoder, slicesOf, type JsonSlice } from './json-slices.node.ts'

/** Writes to a stream as its `write` does. */
export type WriteBytes = (data: string | Uint8Array, done?: () => void) => boolean

/** Slices that are on their way at a time: the next is encoded while the reader takes the last. */
const MAX_UNDER_WAY = 2

/** Shared by all streams that get their own copies, because no stream needs it for longer than one slice. */
let shared: SliceEncoder | undefined

type Line = string | LongJson | LateJson

/** Writes lines in order: those of one turn in one write, long ones in slices. `buffered` shows a slow reader. */
export class LineWriter {
  readonly #stream: Writable
  readonly #write: WriteBytes
  #lines: Line[] = []
  /** The rest of the long line that is being written. */
  #slices: Iterator<JsonSlice, undefined> | undefined
  /** Characters of it that were not written yet. */
  #long = 0
  /** Whether bytes that have left the stream are with the system, and not with another part of this program. */
  readonly #isOwnPipe: boolean
  /** The line that is read while it is written: no other comes between its parts. */
  #late: LateJson | undefined
  #wake: () => void = () => {}
  /** The number of slices on their way into our own pipe, and the encoders of slices that have left. */
  #underWay = 0
  #idle: SliceEncoder[] = []
  #scheduled = false
  #blocked = false
  #closed = false
  #buffered = 0
  #finish: (() => void) | undefined
  /** Called when something has to wait for the reader, and each time that the reader has taken some of it. */
  onWait: ((moved: boolean) => void) | undefined
  /** Called when the reader has caught up. */
  onDrain: (() => void) | undefined
  /** Called when there is no reader any more. */
  onGone: (() => void) | undefined

  constructor(stream: Writable, write: WriteBytes = (data, done) => stream.write(data, done)) {
    this.#stream = stream
    this.#write = write
    this.#isOwnPipe = stream === process.stdout
    stream.on('drain', this.#drained)
    stream.on('error', this.#failed)
    stream.on('close', this.#failed)
  }

  /** Characters that wait for the reader. */
  get buffered(): number {
    return this.#buffered
  }

  /** The same with what the stream has taken and not passed on; 0 when it asks for more. */
  get waiting(): number {
    const isWaiting = this.#blocked || this.#lines.length > 0
    return isWaiting && !this.#closed ? this.#buffered + this.#stream.writableLength : 0
  }

  write(line: Line): void {
    if (this.#closed) {
      if (line instanceof LateJson) line.close()
      return
    }
    this.#lines.push(typeof line === 'string' && line.length > SLICE ? new LongJson([line]) : line)
    this.#buffered += line.length
    if (this.#blocked) this.onWait?.(false)
    if (this.#scheduled || this.#blocked) return
    this.#scheduled = true
    setImmediate(this.#flush)
  }

  /** Writes what is left and resolves when the stream took it, or when the reader is gone. */
  async end(): Promise<void> {
    this.#flush()
    if (this.#blocked && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#finish = resolve
      })
    }
    if (!this.#closed && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#finish = resolve
        this.#stream.write('', () => resolve())
      })
    }
    this.#closed = true
    this.#stream.off('drain', this.#drained)
    this.#stream.off('close', this.#failed)
  }

  #flush = (): void => {
    this.#scheduled = false
    while (!this.#blocked && !this.#closed) {
      if (this.#slices !== undefined) this.#writeSlice(this.#slices)
      else if (this.#lines.length > 0) this.#writeLines()
      else break
    }
    this.onWait?.(false)
  }

  /** All lines up to the next long line, or the beginning of that line. No more than a slice is written at a time. */
  #writeLines(): void {
    const [first] = this.#lines
    if (first instanceof LongJson) {
      this.#lines.shift()
      this.#long = first.length
      this.#slices = slicesOf(first)
      return
    }
    if (first instanceof LateJson) {
      this.#lines.shift()
      void this.#writeLate(first)
      return
    }
    let length = 0
    const fits = (line: Line): boolean => {
      length += line.length
      return typeof line === 'string' && length <= SLICE
    }
    const end = this.#lines.findIndex((line) => !fits(line))
    const lines = end === -1 ? this.#lines : this.#lines.splice(0, end)
    if (end === -1) this.#lines = []
    const text = `${lines.join('\n')}\n`
    this.#buffered -= text.length - lines.length
    this.#blocked = !this.#write(text)
  }

  #writeSlice(slices: Iterator<JsonSlice, undefined>): void {
    const { done, value } = slices.next()
    if (done) {
      this.#slices = undefined
      this.#took(this.#long)
      return
    }
    // Escaping makes it longer: what is left is counted down to nothing, and not below.
    this.#took(Math.min(value.text.length, this.#long))
    if (!this.#isOwnPipe) {
      shared ??= new SliceEncoder()
      this.#blocked = !this.#write(Buffer.from(shared.encode(value)))
      return
    }
    const encoder = this.#idle.pop() ?? new SliceEncoder()
    this.#underWay++
    this.#blocked = this.#underWay >= MAX_UNDER_WAY
    this.#write(encoder.encode(value), () => this.#sliceLeft(encoder))
  }

  async #writeLate(message: LateJson): Promise<void> {
    this.#blocked = true
    this.#late = message
    this.#buffered -= message.length
    const problem = await message.open()
    if (problem !== undefined) this.#write(`${problem}\n`)
    else {
      try {
        for (let slice = await message.next(); slice !== undefined; slice = await message.next()) {
          if (!this.#write(slice) && !this.#closed)
            await new Promise<void>((resolve) => (this.#wake = resolve))
        }
        if (!this.#closed) this.#write('\n')
      } catch (thrown) {
        // Half of a line cannot be taken back. Clients skip a line that is not JSON, and take the error behind it.
        this.#write(`\n${message.failed(thrown)}\n`)
      }
    }
    this.#late = undefined
    if (!this.#closed) this.#goOn()
  }

  /** Called when a slice has left: its memory may be used for the next slice. */
  #sliceLeft(encoder: SliceEncoder): void {
    this.#underWay--
    this.#idle.push(encoder)
    if (!this.#closed && this.#blocked) this.#goOn()
  }

  #drained = (): void => {
    if (this.#late) {
      this.onWait?.(true)
      return this.#wake()
    }
    // While slices are under way, their own ends say when to go on.
    if (this.#underWay < MAX_UNDER_WAY) this.#goOn()
  }

  #took(length: number): void {
    this.#long -= length
    this.#buffered -= length
  }

  #goOn(): void {
    this.#blocked = false
    this.onWait?.(true)
    this.#flush()
    if (this.#blocked) return
    this.onDrain?.()
    this.#finish?.()
  }

  /** The reader is gone (EPIPE). That is no reason to crash. */
  #failed = (): void => {
    this.#closed = true
    this.#late?.close()
    this.#wake()
    for (const line of this.#lines) if (line instanceof LateJson) line.close()
    this.#lines = []
    this.#slices = undefined
    this.#buffered = 0
    this.onWait?.(true)
    this.onDrain?.()
    this.onGone?.()
    this.#finish?.()
  }
}

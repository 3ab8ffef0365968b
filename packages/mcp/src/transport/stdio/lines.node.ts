import type { Writable, Readable } from 'node:stream'
import { McpError } from '../../jsonrpc/index.ts'

// An import of the module would read all its members, and load what stands behind each.
const { isAscii } = process.getBuiltinModule('node:buffer')

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = String.fromCharCode(0xfeff)

/** The longest line that is accepted unless a caller says otherwise. */
export const DEFAULT_MAX_LINE_BYTES: number = 64 * 1024 * 1024

export interface LineHandlers {
  /** One line without its `\n` or `\r\n`. Must not throw. */
  onLine(line: string): void
  /** A line over the limit, in pieces; `end` comes with the last. Without it such lines are dropped. */
  onOversize?(piece: Uint8Array, end: boolean): void
  /** A line that came in several pieces, for a reader that needs no text; true when it was taken. */
  onPieces?(pieces: readonly Uint8Array[]): boolean
}

/**
 * Cuts a byte stream into lines (MCP stdio: messages are delimited by newlines and contain none).
 *
 * Every byte is searched once and decoded once: the unfinished line is kept as the chunks it came in, because
 * appending to a string or buffer per chunk makes a large message cost the square of its size. The lines that
 * lie wholly within a chunk are decoded together, which for small messages is several times cheaper than one
 * by one. A newline byte never occurs inside a UTF-8 sequence, so both give the same text.
 */
export class LineSplitter {
  readonly #handlers: LineHandlers
  readonly #max: number
  readonly #decoder: TextDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #held: Uint8Array[] = []
  #heldBytes = 0
  #oversize = false
  #first = true

  constructor(handlers: LineHandlers, maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#handlers = handlers
    this.#max = maxLineBytes
  }

  /** Bytes of the line that has not ended yet. */
  get held(): number {
    return this.#heldBytes
  }

  /** The chunk must stay unchanged until its last line is complete. False when no line ended in it. */
  push(chunk: Uint8Array): boolean {
    let start = 0
    if (this.#heldBytes > 0 || this.#oversize) {
      const end = chunk.indexOf(NEWLINE)
      if (end === -1) {
        this.#hold(chunk)
        return false
      }
      this.#finish(chunk.subarray(0, end))
      start = end + 1
    }
    const last = chunk.lastIndexOf(NEWLINE)
    if (last >= start) {
      if (last - start > this.#max) this.#splitWithLimit(chunk, start, last)
      else this.#split(chunk, start, last)
      start = last + 1
    }
    if (start < chunk.length) this.#hold(start === 0 ? chunk : chunk.subarray(start))
    return start > 0
  }

  /** The stream has ended: what is left without a newline is a line too. */
  end(): void {
    if (this.#heldBytes > 0 || this.#oversize) this.#finish(new Uint8Array(0))
  }

  /** Delivers the lines of `chunk` from `start` up to the newline at `last`. */
  #split(chunk: Uint8Array, start: number, last: number): void {
    const text = this.#decoder.decode(chunk.subarray(start, last))
    let from = 0
    for (;;) {
      const end = text.indexOf('\n', from)
      if (end === -1) break
      this.#deliver(text, from, end)
      from = end + 1
    }
    this.#deliver(text, from, text.length)
  }

  /** The chunk is larger than a line may be, so each line has to be measured. */
  #splitWithLimit(chunk: Uint8Array, start: number, last: number): void {
    let from = start
    while (from <= last) {
      const end = chunk.indexOf(NEWLINE, from)
      this.#finish(chunk.subarray(from, end))
      from = end + 1
    }
  }

  #hold(piece: Uint8Array): void {
    if (this.#oversize) {
      this.#handlers.onOversize?.(piece, false)
      return
    }
    this.#held.push(piece)
    this.#heldBytes += piece.length
    if (this.#heldBytes > this.#max) this.#overflow()
  }

  /** Hands out what was held and lets the rest of the line pass by. */
  #overflow(): void {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    this.#oversize = true
    this.#first = false
    for (const piece of held) this.#handlers.onOversize?.(piece, false)
  }

  #finish(tail: Uint8Array): void {
    if (!this.#oversize) this.#hold(tail)
    else this.#handlers.onOversize?.(tail, false)
    if (this.#oversize) {
      this.#oversize = false
      this.#handlers.onOversize?.(new Uint8Array(0), true)
      return
    }
    const isLong = this.#held.length > 1
    if (isLong && this.#handlers.onPieces?.(this.#held)) {
      this.#held = []
      this.#heldBytes = 0
      this.#first = false
      return
    }
    const line = join(this.#held, this.#heldBytes)
    const text = (isLong ? decodeAscii(line) : undefined) ?? this.#decoder.decode(line)
    this.#held = []
    this.#heldBytes = 0
    this.#deliver(text, 0, text.length)
  }

  #deliver(text: string, start: number, end: number): void {
    const stop = end > start && text.charCodeAt(end - 1) === RETURN ? end - 1 : end
    // Some Windows programs start their output with a byte order mark, which is not JSON.
    const from = this.#first && text.startsWith(BYTE_ORDER_MARK) ? start + 1 : start
    this.#first = false
    this.#handlers.onLine(text.slice(from, stop))
  }
}

function join(pieces: Uint8Array[], bytes: number): Uint8Array {
  const only = pieces[0]
  if (only !== undefined && pieces.length === 1) return only
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export interface LineSink {
  /** Queues one line; `done` reports that it left this process. Throws when too much is queued. */
  write(line: string, done?: (error?: Error) => void): void
}

/** How many bytes may wait for a server that does not read. More is refused, so that it cannot fill our memory. */
const MAX_QUEUED_CHARACTERS = 64 * 1024 * 1024

/** So many lines are sent at once: the server can begin with them while we are busy with the rest. */
const FULL_BATCH = 16

type Done = (error?: Error) => void

/** Writes lines in order, few writes per turn: a system call each would be most of a small request. */
export class StdioClientWriter implements LineSink {
  readonly #stream: Writable
  #lines: string[] = []
  #waiting: Done[] = []
  /** Characters of `#lines`, and of all that has not left yet. */
  #batched = 0
  #queued = 0
  #scheduled = false
  #full = false
  #ending = false

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('drain', () => {
      this.#full = false
      this.#flush()
    })
    // Without a listener, EPIPE from a server that has gone would be thrown at the process.
    stream.on('error', (error) => this.#abandon(error))
    stream.on('close', () => this.#abandon(new Error('The stream was closed')))
  }

  write(line: string, done?: Done): void {
    if (this.#ending || !this.#stream.writable) {
      done?.(new Error("The server's input is closed"))
      return
    }
    // A single message is always taken, however large it is.
    if (this.#queued > 0 && this.#queued + line.length > MAX_QUEUED_CHARACTERS) {
      throw new McpError('too_large', 'The server does not read its input: too much is waiting to be written')
    }
    this.#lines.push(line)
    this.#batched += line.length
    this.#queued += line.length
    if (done !== undefined) this.#waiting.push(done)
    if (this.#full) return
    if (this.#lines.length >= FULL_BATCH) this.#flush()
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  end(): void {
    if (this.#ending) return
    this.#full = false
    this.#flush()
    this.#ending = true
    this.#stream.end()
  }

  #flush(): void {
    if (this.#lines.length === 0 || this.#full || !this.#stream.writable) return
    const waiting = this.#waiting
    const batched = this.#batched
    this.#lines.push('')
    const text = this.#lines.join('\n')
    this.#lines = []
    this.#waiting = []
    this.#batched = 0
    this.#full = !this.#stream.write(text, (error) => {
      this.#queued -= batched
      settle(waiting, error ?? undefined)
    })
  }

  #abandon(error: Error): void {
    const waiting = this.#waiting
    this.#lines = []
    this.#waiting = []
    settle(waiting, error)
  }
}

function settle(waiting: Done[], error: Error | undefined): void {
  for (const done of waiting) done(error)
}

/** A chunk of this size means that there is more in the pipe. */
const FULL_CHUNK = 32 * 1024

/** Reads a pipe and lets others run after each full chunk, unless `push` had nothing to do. */
export function readFairly(stream: Readable, push: (chunk: Uint8Array) => unknown): void {
  stream.on('data', (chunk: Uint8Array) => {
    if (push(chunk) === false || chunk.length < FULL_CHUNK) return
    stream.pause()
    setImmediate(() => stream.resume())
  })
}

/** The text of a long line if all of it is ASCII; undefined otherwise. Decoding it as UTF-8 takes twice as long. */
export function decodeAscii(line: Uint8Array): string | undefined {
  if (!isAscii(line)) return undefined
  return Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('latin1')
}

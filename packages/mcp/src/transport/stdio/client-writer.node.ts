import type { Writable } from 'node:stream'
import { McpError } from '../../jsonrpc/index.ts'
import type { LineSink } from './client-link.ts'

/** What may wait for a server that does not read. More is refused, so that it cannot fill our memory. */
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

import type { RefusedForLoad } from '../../exchange/server/answer.ts'
import type { McpError } from '../../jsonrpc/index.ts'
import { type Holding, UnreadAnswers } from '../held-bytes.ts'
import type { LineWriter } from './line-writer.node.ts'

const MB = 1024 * 1024

/** The limits of pipes whose owner sets no limits. */
export function createUnread(): UnreadAnswers {
  return new UnreadAnswers({ stallTimeout: 30_000, held: { perCaller: 64 * MB, total: 256 * MB } })
}

/**
 * Errors and other short answers are sent even to a client that has used its share, because a request waits for each of
 * them.
 */
const SHORT_LINE = 1024
/** Beyond so many shares nothing helps: what is not an answer cannot be refused. */
const MOST_SHARES = 2

let readers = 0

/** The client on the other end of a pipe. What it has not read is counted, and when it stops reading it is left. */
export class PipeReader {
  readonly #name = `pipe ${++readers}`
  readonly #unread: UnreadAnswers
  readonly #writer: LineWriter
  readonly #onCutOff: (reason: McpError) => void
  #watched: Holding | undefined

  constructor(writer: LineWriter, unread: UnreadAnswers, onCutOff: (reason: McpError) => void) {
    this.#writer = writer
    this.#unread = unread
    this.#onCutOff = onCutOff
    writer.onWait = (moved) => this.#look(moved)
  }

  /** Why an answer of this length cannot be held until it is read; undefined when it can. */
  refusesToHold(length: number): RefusedForLoad | undefined {
    // Bytes that were written in this turn are not counted yet.
    if (length > SHORT_LINE) this.#look(false)
    return this.#unread.refusal(this.#name, length, SHORT_LINE)
  }

  close(): void {
    this.#writer.onWait = undefined
    this.#release()
  }

  #look(moved: boolean): void {
    const { waiting } = this.#writer
    if (waiting === 0) return this.#release()
    this.#watched ??= this.#unread.open(this.#name, (reason) => {
      this.close()
      this.#onCutOff(reason)
    })
    if (moved) this.#watched.moved(waiting)
    const lacking = this.#watched.set(waiting)
    if (lacking && waiting > MOST_SHARES * this.#unread.limits.held.perCaller) this.#watched.end()
  }

  #release(): void {
    this.#watched?.close()
    this.#watched = undefined
  }
}

import { cutText } from '../../protocol/index.ts'
import { LineSplitter } from './lines.node.ts'

/** How many bytes of a server's stderr are kept. */
const TAIL_BYTES = 64 * 1024
/** The callback gets only the beginning of a longer line: the cut could leave half of a secret. */
const MAX_STDERR_LINE_BYTES = 64 * 1024
/** A line over the limit has more characters than this, whatever its bytes. */
const LONGEST_TOLD = 16_000

/** The last lines of stderr, in a fixed ring of bytes that is decoded on demand. */
export class StderrTail {
  readonly #maxLines: number
  readonly #ring: Uint8Array = new Uint8Array(TAIL_BYTES)
  readonly #splitter: LineSplitter | undefined
  #written = 0
  /** The last result of `lines()`: a crash may fail thousands of requests at once, and each shows the lines. */
  #lines: string[] | undefined

  constructor(maxLines: number, onLine?: (line: string) => void) {
    this.#maxLines = maxLines
    if (onLine !== undefined) this.#splitter = stderrSplitter(onLine)
  }

  push(chunk: Uint8Array): void {
    this.#lines = undefined
    const kept = chunk.length > TAIL_BYTES ? chunk.subarray(chunk.length - TAIL_BYTES) : chunk
    this.#written += chunk.length - kept.length
    const at = this.#written % TAIL_BYTES
    const head = kept.subarray(0, TAIL_BYTES - at)
    this.#ring.set(head, at)
    this.#ring.set(kept.subarray(head.length), 0)
    this.#written += kept.length
    this.#splitter?.push(chunk)
  }

  end(): void {
    this.#splitter?.end()
  }

  /** Oldest first. A line whose beginning is gone is left out. */
  lines(): string[] {
    this.#lines ??= this.#read()
    return [...this.#lines]
  }

  #read(): string[] {
    const text = this.#text()
    const whole = this.#written > TAIL_BYTES ? text.slice(text.indexOf('\n') + 1 || text.length) : text
    const lines = whole.split(/\r?\n/)
    if (lines.at(-1) === '') lines.pop()
    return lines.slice(Math.max(0, lines.length - this.#maxLines))
  }

  #text(): string {
    const decoder = new TextDecoder()
    if (this.#written <= TAIL_BYTES) return decoder.decode(this.#ring.subarray(0, this.#written))
    const at = this.#written % TAIL_BYTES
    return (
      decoder.decode(this.#ring.subarray(at), { stream: true }) + decoder.decode(this.#ring.subarray(0, at))
    )
  }
}

function stderrSplitter(onLine: (line: string) => void): LineSplitter {
  const tell = (line: string): void => {
    try {
      onLine(line)
    } catch {
      // A callback that throws must not stop the server's output from being read.
    }
  }
  const decoder = new TextDecoder()
  let text = ''
  let isTold = false
  const onOversize = (piece: Uint8Array, end: boolean): void => {
    if (!isTold) text += decoder.decode(piece, { stream: true })
    if (!isTold && text.length > LONGEST_TOLD) {
      tell(cutText(text, LONGEST_TOLD))
      isTold = true
      text = ''
    }
    if (!end) return
    decoder.decode()
    text = ''
    isTold = false
  }
  return new LineSplitter({ onLine: tell, onOversize }, MAX_STDERR_LINE_BYTES)
}

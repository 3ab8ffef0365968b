import { hideCredentials } from '../model/index.ts'
import { cutText } from '@gantry/mcp/foreign'

export interface StderrEntry {
  readonly seq: number
  readonly at: number
  readonly text: string
}

const MAX_LINES = 1000
const MAX_LENGTH = 4000

/** The last lines that a target wrote to stderr, over all its connections. */
export class StderrRing {
  /** Takes out secrets, the configured ones first: what looks like a credential may be only a part of one. */
  readonly hide: (text: string) => string
  readonly #lines: StderrEntry[] = []
  #next = 1

  constructor(hide: (text: string) => string = hideCredentials) {
    this.hide = hide
  }

  push(line: string): StderrEntry {
    // Copied: a part of a string keeps the whole of it alive.
    const text = line.length > MAX_LENGTH ? Buffer.from(cutText(line, MAX_LENGTH)).toString() : line
    const entry = { seq: this.#next++, at: Date.now(), text }
    this.#lines.push(entry)
    // Trimmed in pieces: taking one off the front of a full array for every line would cost a copy each.
    if (this.#lines.length > MAX_LINES * 1.25) this.#lines.splice(0, this.#lines.length - MAX_LINES)
    return entry
  }

  /** Oldest first. Secrets are taken out here, where a flood of lines costs nothing. */
  tail(limit: number, after = 0): StderrEntry[] {
    const from = Math.max(0, this.#lines.length - limit)
    const wanted = this.#lines.slice(from)
    const newer = after > 0 ? wanted.filter((line) => line.seq > after) : wanted
    // A key may have several lines.
    const texts = this.hide(newer.map(({ text }) => text).join('\n')).split('\n')
    return newer.map((line, index) => ({ ...line, text: texts[index] ?? '' }))
  }
}

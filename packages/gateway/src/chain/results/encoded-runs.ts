import { encodingOf } from './encoded-text.ts'

/** An address of eight characters has eleven signs. */
const SHORTEST = 11
/** Lines of base64 are mostly broken at 64 or 76 characters. Few words are as long as this. */
const SHORTEST_LINE = 30
/** One of so many characters may be outside of ASCII, unless the text is in UTF-8: words look like base64. */
const LATIN_SHARE = 4

/** The value of each character of base64; 255 for all other characters. */
const VALUES = new Uint8Array(128).fill(255)
for (const [row, at] of [
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', 0],
  ['-_', 62],
] as const) {
  for (let index = 0; index < row.length; index++) VALUES[row.charCodeAt(index)] = at + index
}

/** A piece of a text that could be base64. */
interface Run {
  readonly start: number
  readonly end: number
}

/** The text that stands in base64, and how it was written before. */
interface Decoded {
  readonly text: string
  readonly encoding: BufferEncoding
}

/** Whether a text in base64 stands in another text. Quick where there is none: it looks at few characters. */
export function hasEncodedText(text: string): boolean {
  const isText = (run: Run): boolean => decodedRun(text, run) !== undefined
  for (const run of runsIn(text)) if (anyOf(text, run, isText)) return true
  return false
}

/** A text whose pieces in base64 are cleaned; the same when there is nothing to take out. */
export function cleanEncodedRuns(text: string, clean: (text: string) => string): string {
  let shown = ''
  let done = 0
  const replace = ({ start, end }: Run): boolean => {
    const found = decodedRun(text, { start, end })
    const cleaned = found && clean(found.text)
    if (!found || cleaned === undefined || cleaned === found.text) return false
    shown += text.slice(done, start) + Buffer.from(cleaned, found.encoding).toString('base64')
    done = end
    return true
  }
  for (const run of runsIn(text)) anyOf(text, run, replace)
  return done === 0 ? text : shown + text.slice(done)
}

/** A piece has at least so many signs, so it is enough to look at every such place and back from there. */
function* runsIn(text: string): Generator<Run> {
  let from = 0
  while (from + SHORTEST <= text.length) {
    let at = from + SHORTEST - 1
    while (at >= from && isSign(text, at)) at--
    if (at >= from) {
      from = at + 1
      continue
    }
    const end = endOf(text, from + SHORTEST)
    yield { start: from, end }
    from = end
  }
}

/** With further lines, where the first is as long as a line, and with what fills up the last one. */
function endOf(text: string, from: number): number {
  let at = from
  let line = from - SHORTEST
  for (;;) {
    while (isSign(text, at)) at++
    const next = at - line < SHORTEST_LINE ? at : nextLine(text, at)
    if (next === at || !isSign(text, next)) break
    line = next
    at = next
  }
  while (text[at] === '=') at++
  return at
}

/** Lines may be indented, or have become words. */
function nextLine(text: string, end: number): number {
  let at = end
  while (at - end < SHORTEST_LINE && /\s/.test(text[at] ?? '')) at++
  return at
}

/** Tries a run, and where that does nothing, its lines, and then their words. Whether any of them did. */
function anyOf(text: string, run: Run, attempt: (run: Run) => boolean): boolean {
  if (attempt(run)) return true
  let isDone = false
  const tryWords = (line: Run): void => {
    for (const word of partsOf(text, line, isInWord)) isDone = attempt(word) || isDone
  }
  const lines = partsOf(text, run, isInLine)
  if (lines.length === 0) tryWords(run)
  for (const line of lines) {
    if (attempt(line)) isDone = true
    else tryWords(line)
  }
  return isDone
}

const NONE: readonly Run[] = []

/** The parts of a run that are long enough. None when it has one part: itself. */
function partsOf(text: string, { start, end }: Run, isIn: (code: number) => boolean): readonly Run[] {
  let parts: Run[] | undefined
  let from = start
  for (let at = start; at <= end; at++) {
    if (at < end && isIn(text.charCodeAt(at))) continue
    if (at - from >= SHORTEST && at - from < end - start) {
      parts ??= []
      parts.push({ start: from, end: at })
    }
    from = at + 1
  }
  return parts ?? NONE
}

function isInLine(code: number): boolean {
  return code > 32
}

/** Not the signs that also stand between words: `/unsubscribe/YW5u…`. */
function isInWord(code: number): boolean {
  return VALUES[code]! < 62 || code === 61
}

function isSign(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code < 128 && VALUES[code] !== 255
}

/** How many signs say whether it is worth the while to read a run. */
const FIRST = 12
/** Bytes of these that may be no ASCII, unless they are UTF-8. */
const MOST_OTHERS = 4
/** The mark of UTF-16, in base64. */
const MARK = '//4'

/** Whether a run begins with bytes that no text begins with. Most words do, and so nothing is made of them. */
function beginsBadly(text: string, { start, end }: Run): boolean {
  if (text.startsWith(MARK, start)) return false
  const first = new FirstBytes()
  for (let at = start; at + 3 < Math.min(end, start + FIRST); at += 4) {
    const bits =
      (valueAt(text, at) << 18) |
      (valueAt(text, at + 1) << 12) |
      (valueAt(text, at + 2) << 6) |
      valueAt(text, at + 3)
    // Something else stands between its signs.
    if (bits < 0) return false
    first.add(bits >> 16)
    first.add((bits >> 8) & 255)
    first.add(bits & 255)
  }
  return first.isBad
}

class FirstBytes {
  #hasControl = false
  #isUtf8 = true
  #others = 0
  /** Bytes of a character that are still to come. */
  #open = 0

  get isBad(): boolean {
    return this.#hasControl || (!this.#isUtf8 && this.#others > MOST_OTHERS)
  }

  add(byte: number): void {
    if (isControl(byte)) this.#hasControl = true
    if (byte > 127) this.#others++
    if (this.#open > 0) {
      this.#open--
      if (byte >> 6 !== 2) this.#isUtf8 = false
    } else if (byte > 127) {
      this.#open = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
      if (byte < 0xc2 || byte > 0xf4) this.#isUtf8 = false
    }
  }
}

/** Negative for what is no sign of base64. */
function valueAt(text: string, at: number): number {
  const value = VALUES[text.charCodeAt(at)] ?? 255
  return value === 255 ? -1 : value
}

/** But for tabs, ends of lines, the escapes of terminals, and the zeros of UTF-16. */
function isControl(byte: number): boolean {
  return byte < 32 && byte !== 0 && byte !== 27 && (byte < 9 || byte > 13)
}

/** The text that stands in base64; undefined for anything else that looks like it. */
function decodedRun(text: string, run: Run): Decoded | undefined {
  return beginsBadly(text, run) ? undefined : decoded(text.slice(run.start, run.end))
}

function decoded(run: string): Decoded | undefined {
  const bytes = Buffer.from(run, 'base64')
  const encoding = encodingOf(bytes)
  if (!encoding || (encoding === 'latin1' && !isMostlyAscii(bytes))) return undefined
  return { text: bytes.toString(encoding), encoding }
}

function isMostlyAscii(bytes: Buffer): boolean {
  let others = 0
  for (const byte of bytes) if (byte > 127) others++
  return others * LATIN_SHARE <= bytes.length
}

/** Finds one kind of sensitive text. Its pattern is bounded, so the time is linear in the length of the text. */
export interface Detector {
  /** As the configuration and the mask name it. */
  readonly name: string
  /** A cheap look: where it is false, the pattern finds nothing. */
  readonly mayFind: (text: string) => boolean
  /** With the flag `g`. */
  readonly pattern: RegExp
  /** Whether a match is one; `before` is the text in front of it, with the name of its field. */
  accepts?(match: string, before: string): boolean
  /** Where in a match the sensitive parts are; undefined: it does not begin with one. */
  spans?(match: string, before: string): Span[] | undefined
}

/** From the first character to the one behind the last. */
export type Span = readonly [from: number, to: number]

/** How much of the text in front of a match tells what it is. */
const CONTEXT = 48

/** Replaces what a detector finds; the same text when it finds nothing. */
export function replaceFound(
  text: string,
  detector: Detector,
  field: string,
  replacement: (found: string) => string,
): string {
  let shown = ''
  let done = 0
  for (const [from, to] of findAll(text, detector, field)) {
    shown += text.slice(done, from) + replacement(text.slice(from, to))
    done = to
  }
  return done === 0 ? text : shown + text.slice(done)
}

function* findAll(text: string, { pattern, accepts, spans }: Detector, field: string): Generator<Span> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const at = match.index
    const [whole] = match
    const before = accepts || spans ? contextOf(text, at, field) : ''
    const isOne = !accepts || accepts(whole, before)
    const found: Span[] | undefined = spans ? spans(whole, before) : isOne ? [[0, whole.length]] : undefined
    for (const [from, to] of found ?? []) yield [at + from, at + to]
    // A match may begin inside of a text that was found not to be one.
    if (!found) pattern.lastIndex = at + 1
    else if (found.length > 0) pattern.lastIndex = at + found.at(-1)![1]
  }
}

function contextOf(text: string, at: number, field: string): string {
  return `${field} ${text.slice(Math.max(0, at - CONTEXT), at)}`
}

import { isUtf8 } from 'node:buffer'

/** Shorter secrets are not worth the look. */
const SHORTEST = 16
/** Lines of base64 are broken at 64 or 76 characters. */
const SHORTEST_LINE = 60
/** Texts have none of these but tabs and ends of lines. */
const CONTROL = /[\0-\x08\x0E-\x1F\x7F]/

const IS_SIGN = new Uint8Array(128)
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_') {
  IS_SIGN[sign.charCodeAt(0)] = 1
}

/** A piece of a text that could be base64. */
interface Run {
  readonly start: number
  readonly end: number
}

/** Whether a text in base64 stands in another text. Quick where there is none: it looks at few characters. */
export function hasEncodedText(text: string): boolean {
  for (const { start, end } of runsIn(text)) if (decoded(text.slice(start, end))) return true
  return false
}

/** A text whose pieces in base64 are cleaned; the same when there is nothing to take out. */
export function cleanEncodedRuns(text: string, clean: (text: string) => string): string {
  let shown = ''
  let done = 0
  for (const { start, end } of runsIn(text)) {
    const found = decoded(text.slice(start, end))
    const cleaned = found && clean(found)
    if (cleaned === undefined || cleaned === found) continue
    shown += text.slice(done, start) + Buffer.from(cleaned).toString('base64')
    done = end
  }
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
    const next = text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : text[at] === '\n' ? at + 1 : at
    if (next === at || at - line < SHORTEST_LINE || !isSign(text, next)) break
    line = next
    at = next
  }
  while (text[at] === '=') at++
  return at
}

function isSign(text: string, at: number): boolean {
  return IS_SIGN[text.charCodeAt(at)] === 1
}

/** The text that stands in base64; undefined for anything else that looks like it. */
function decoded(run: string): string | undefined {
  const bytes = Buffer.from(run, 'base64')
  if (!isUtf8(bytes)) return undefined
  const text = bytes.toString()
  return CONTROL.test(text) ? undefined : text
}

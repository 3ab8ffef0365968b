import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'

/** Lists whose parts a model reads one after another. */
export const READ_TOGETHER: ReadonlySet<string> = new Set(['content', 'messages', 'contents'])

/** Characters on each side of a seam that are looked at. */
const AROUND = 2048
/** Seams that are not further apart are looked at together: there may be one behind each character. */
const TOGETHER = 16 * 1024

const TEXT = '"text"'

/** Whether JSON has several texts, of which one could go on in the next. False says nothing of other JSON. */
export function hasSeams(json: string): boolean {
  const first = nextText(json, 0)
  return first !== undefined && nextText(json, first) !== undefined
}

/** The place behind the name of the next text; undefined when there is none. */
function nextText(json: string, from: number): number | undefined {
  for (let at = json.indexOf(TEXT, from); at >= 0; at = json.indexOf(TEXT, at + 1)) {
    let end = at + TEXT.length
    // Some programs write a space in front of the colon.
    while (/\s/.test(json[end] ?? '')) end++
    if (json[end] === ':') return end
  }
  return undefined
}

/** Parts of content, cleaned of what begins in one text and ends in another; the same list when there is none. */
export function cleanSeams(parts: readonly unknown[], clean: (text: string) => string): readonly unknown[] {
  const places = parts.flatMap((part, at) => {
    const text = textIn(part)
    return text === undefined || text === '' ? [] : [{ at, text }]
  })
  if (places.length < 2) return parts
  const texts = places.map(({ text }) => text)
  for (let first = 1; first < texts.length; ) {
    const last = lastTogether(texts, first)
    cleanBetween(texts, first, last, clean)
    first = last + 1
  }
  if (places.every(({ text }, at) => text === texts[at])) return parts
  const shown = [...parts]
  places.forEach(({ at, text }, index) => {
    if (text !== texts[index]) shown[at] = withText(parts[at] as JsonObject, texts[index]!)
  })
  return shown
}

/** A seam is in front of the text of its number. */
function lastTogether(texts: readonly string[], first: number): number {
  let last = first
  for (let length = 0; last + 1 < texts.length; last++) {
    length += texts[last]!.length
    if (length > TOGETHER) break
  }
  return last
}

/** Changes the texts on both sides of seams. What stands in one of them alone was cleaned before. */
function cleanBetween(texts: string[], first: number, last: number, clean: (text: string) => string): void {
  const left = endOf(texts, first, AROUND)
  const both = left + texts.slice(first, last).join('') + startOf(texts, last, AROUND)
  const shown = clean(both)
  if (shown === both) return
  const start = commonStart(both, shown)
  const end = commonEnd(both.slice(start), shown.slice(start))
  const from = placeOf(texts, first, start - left.length)
  const to = placeOf(texts, first, both.length - end - left.length - 1)
  if (from.text >= to.text) return
  texts[from.text] = texts[from.text]!.slice(0, from.at) + shown.slice(start, shown.length - end)
  texts.fill('', from.text + 1, to.text)
  texts[to.text] = texts[to.text]!.slice(to.at + 1)
}

/** The text and the place in it of a character, counted from the first one behind a seam. */
function placeOf(texts: readonly string[], seam: number, offset: number): { text: number; at: number } {
  let text = seam
  let at = offset
  while (at < 0) at += texts[--text]!.length
  while (at >= texts[text]!.length) at -= texts[text++]!.length
  return { text, at }
}

function endOf(texts: readonly string[], seam: number, length: number): string {
  let found = ''
  for (let at = seam - 1; at >= 0 && found.length < length; at--) found = texts[at]! + found
  return found.slice(-length)
}

function startOf(texts: readonly string[], seam: number, length: number): string {
  let found = ''
  for (let at = seam; at < texts.length && found.length < length; at++) found += texts[at]!
  return found.slice(0, length)
}

function commonStart(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

function commonEnd(one: string, other: string): number {
  let count = 0
  while (count < Math.min(one.length, other.length) && one.at(-1 - count) === other.at(-1 - count)) count++
  return count
}

/** The text of a block, of a message, or of a resource. */
function textIn(part: unknown): string | undefined {
  if (!isJsonObject(part)) return undefined
  if (typeof part.text === 'string') return part.text
  return textIn(part.content) ?? textIn(part.resource)
}

function withText(part: JsonObject, text: string): JsonObject {
  if (typeof part.text === 'string') return { ...part, text }
  const key = textIn(part.content) === undefined ? 'resource' : 'content'
  return { ...part, [key]: withText(part[key] as JsonObject, text) }
}

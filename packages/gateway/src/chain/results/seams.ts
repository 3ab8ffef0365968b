import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'

/** Lists whose parts a model reads one after another. */
export const READ_TOGETHER: ReadonlySet<string> = new Set(['content', 'messages', 'contents'])

/** Characters on each side of a seam that are looked at; fewer where there are many seams. */
const AROUND = 2048
const AROUND_MANY = 256
const MANY = 64

/** Whether JSON has several texts, of which one could go on in the next. False says nothing of other JSON. */
export function hasSeams(json: string): boolean {
  const first = json.indexOf('"text":')
  return first !== -1 && json.includes('"text":', first + 1)
}

/** Parts of content, cleaned of what begins in one text and ends in another; the same list when there is none. */
export function cleanSeams(parts: readonly unknown[], clean: (text: string) => string): readonly unknown[] {
  const places = parts.flatMap((part, at) => {
    const text = textIn(part)
    return text === undefined || text === '' ? [] : [{ at, text }]
  })
  if (places.length < 2) return parts
  const texts = places.map(({ text }) => text)
  const around = texts.length > MANY ? AROUND_MANY : AROUND
  for (let seam = 1; seam < texts.length; seam++) cleanSeam(texts, seam, around, clean)
  if (places.every(({ text }, at) => text === texts[at])) return parts
  const shown = [...parts]
  places.forEach(({ at, text }, index) => {
    if (text !== texts[index]) shown[at] = withText(parts[at] as JsonObject, texts[index]!)
  })
  return shown
}

/** Changes the texts on both sides of a seam. What stands in one of them alone was cleaned before. */
function cleanSeam(texts: string[], seam: number, around: number, clean: (text: string) => string): void {
  const left = endOf(texts, seam, around)
  const right = startOf(texts, seam, around)
  const both = left + right
  const shown = clean(both)
  if (shown === both) return
  const start = commonStart(both, shown)
  const end = commonEnd(both.slice(start), shown.slice(start))
  const from = start - left.length
  const to = both.length - end - left.length
  if (from >= 0 || to <= 0) return
  cutEnd(texts, seam, -from)
  cutStart(texts, seam, to)
  texts[seam - 1] += shown.slice(start, shown.length - end)
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

function cutEnd(texts: string[], seam: number, length: number): void {
  let left = length
  for (let at = seam - 1; left > 0; at--) {
    const text = texts[at]!
    texts[at] = text.slice(0, Math.max(0, text.length - left))
    left -= text.length
  }
}

function cutStart(texts: string[], seam: number, length: number): void {
  let left = length
  for (let at = seam; left > 0; at++) {
    const text = texts[at]!
    texts[at] = text.slice(left)
    left -= text.length
  }
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

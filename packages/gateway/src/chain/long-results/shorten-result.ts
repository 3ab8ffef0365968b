import { isJsonObject, jsonReader, writeJson, type JsonObject } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import { isSame } from '../../model/index.ts'
import { pagesOf } from './kept-results.ts'
import { cutMeta } from './cut-meta.ts'
import { leaveOut, type Part } from './leave-out.ts'
import { blobIn, linkBlobs, type Keep } from './link-blobs.ts'
import { BYTES_PER_TOKEN, tokensOf, tokensOfValue } from './tokens.ts'

const HEAD = 0.75
/** How much of the room `_meta` may take, and one embedded file. */
const META_SHARE = 0.25
/** Shorter pieces of texts say less than the words about what was left out. */
const LEAST = 60

const readSource = jsonReader('source')

export interface Shortening {
  readonly maxTokens: number | undefined
  readonly dropRepeated: boolean
  /** The tool promises structured content: it cannot be left out. */
  readonly isPromised: boolean
}

/**
 * A tool's result, shortened to the allowed length: long texts keep their beginning and end, and get a link to the
 * whole text. Returns the same object if the result is short enough.
 */
export async function shortenResult(result: JsonObject, how: Shortening, keep: Keep): Promise<JsonObject> {
  const plain = withoutLongStructure(how.dropRepeated ? withoutRepeated(result) : result, how)
  const { maxTokens } = how
  if (maxTokens === undefined || tokensInAll(plain) <= maxTokens) return plain
  const meta = cutMeta(plain, maxTokens * META_SHARE)
  const lostMeta = Object.keys(meta.lost).length === 0 ? [] : [meta.lost]
  const room = maxTokens - tokensOfValue(meta.result.structuredContent) - metaTokens(meta.result)
  const content = Array.isArray(meta.result.content) ? meta.result.content : []
  const linked = await linkBlobs(content, Math.max(LEAST, room * META_SHARE), keep)
  const { shown, lost, share } = fit(linked.map(toPart), Math.max(0, room))
  const whole = [
    ...lost.map(({ item }) => textOf(item) ?? writeJson(item)),
    ...lostMeta.map((one) => writeJson(one)),
  ]
  if (whole.length === 0) return linked === content ? plain : { ...meta.result, content: linked }
  const text = whole.join('\n\n')
  const uri = await keep(text)
  const items = shown.map((one) =>
    typeof one === 'number'
      ? { type: 'text', text: leftOut(`${one} parts`, uri) }
      : isLonger(one, share)
        ? withText(one.item as JsonObject, headAndTail(textOf(one.item)!, share, uri))
        : one.item,
  )
  return { ...meta.result, content: uri === undefined ? items : [...items, linkTo(uri, text)] }
}

function toPart(item: unknown): Part {
  return { item, tokens: tokensIn(item) }
}

/** The tokens of everything that a model or its client reads. */
function tokensInAll(result: JsonObject): number {
  const { content, structuredContent } = result
  const parts = Array.isArray(content) ? content.map(toPart) : []
  return sumOf(parts) + tokensOfValue(structuredContent) + metaTokens(result)
}

function metaTokens(result: JsonObject): number {
  const { content, _meta } = result
  const parts = (Array.isArray(content) ? content : []).filter(isJsonObject)
  const inTexts = parts.filter(
    (part) => textOf(part) !== undefined || part.type === 'image' || part.type === 'audio',
  )
  const own = inTexts.map((part) => [
    part._meta,
    isJsonObject(part.resource) ? part.resource._meta : undefined,
  ])
  return [_meta, ...own.flat()].reduce<number>((sum, one) => sum + tokensOfValue(one), 0)
}

/** Texts are cut as far as that leaves something of each. If that is not enough, whole parts are left out. */
function fit(
  parts: readonly Part[],
  room: number,
): { shown: readonly (Part | number)[]; lost: readonly Part[]; share: number } {
  const share = Math.max(LEAST, shareOf(parts, room))
  const cut = parts.map((part) => (isLonger(part, share) ? { ...part, tokens: share } : part))
  if (sumOf(cut) <= room) return { shown: cut, lost: parts.filter((one) => isLonger(one, share)), share }
  const shown = leaveOut(cut, Math.max(room, share), HEAD)
  return { shown, lost: parts.filter(({ tokens }) => tokens > 0), share }
}

function isLonger({ item }: Part, tokens: number): boolean {
  const text = textOf(item)
  return text !== undefined && tokensOf(text) > tokens
}

function sumOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Pictures and sound are no text that a model reads. */
function tokensIn(item: unknown): number {
  const text = textOf(item)
  if (text !== undefined) return tokensOf(text)
  if (!isJsonObject(item)) return 0
  return item.type === 'image' || item.type === 'audio' ? 0 : tokensOf(blobIn(item) ?? writeJson(item))
}

/** Structured content that is too long by itself becomes a text, which can be cut. */
function withoutLongStructure(result: JsonObject, { maxTokens, isPromised }: Shortening): JsonObject {
  const { structuredContent, ...rest } = result
  if (structuredContent === undefined || maxTokens === undefined || isPromised) return result
  const text = writeJson(structuredContent, undefined, 2)
  if (tokensOf(text) <= maxTokens) return result
  const { content } = rest
  const isRepeated = Array.isArray(content) && content.some((item) => repeats(item, structuredContent))
  return isRepeated
    ? rest
    : { ...rest, content: [...(Array.isArray(content) ? content : []), { type: 'text', text }] }
}

/** The length at which texts are cut so that all of them have room together. */
function shareOf(parts: readonly Part[], room: number): number {
  const sorted = parts.map(({ tokens }) => tokens).toSorted((one, other) => one - other)
  let left = room
  for (let at = 0; at < sorted.length; at++) {
    const share = Math.floor(left / (sorted.length - at))
    if (sorted[at]! > share) return share
    left -= sorted[at]!
  }
  return room
}

function textOf(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined
  const text = item.type === 'resource' && isJsonObject(item.resource) ? item.resource.text : item.text
  return typeof text === 'string' ? text : undefined
}

function withText(item: JsonObject, text: string): JsonObject {
  if (item.type !== 'resource') return { ...item, text }
  return { ...item, resource: { ...(item.resource as JsonObject), text } }
}

function headAndTail(text: string, tokens: number, uri: string | undefined): string {
  const share = (tokens * BYTES_PER_TOKEN) / Buffer.byteLength(text)
  const head = cutText(text, Math.floor(text.length * share * HEAD)).replace(/…$/, '')
  const tail = text
    .slice(text.length - Math.floor(text.length * share * (1 - HEAD)))
    .replace(/^[\uDC00-\uDFFF]/, '')
  const left = text.length - head.length - tail.length
  return `${head}\n${leftOut(`${left} characters`, uri)}\n${tail}`
}

function leftOut(what: string, uri: string | undefined): string {
  const rest = uri === undefined ? 'they are not kept: ask for less' : `all of it: ${uri}`
  return `[… ${what} left out; ${rest} …]`
}

function linkTo(uri: string, text: string): JsonObject {
  return {
    type: 'resource_link',
    uri,
    name: 'The whole result',
    mimeType: 'text/plain',
    description: `${pagesOf(text)} pages for an hour: read ${uri}?page=1 and so on, or ${uri}?search=word for the lines that hold a word.`,
  }
}

/** Without texts that only repeat the structured content. */
function withoutRepeated(result: JsonObject): JsonObject {
  const { content, structuredContent } = result
  if (structuredContent === undefined || !Array.isArray(content)) return result
  const kept = content.filter((item) => !repeats(item, structuredContent))
  return kept.length === content.length ? result : { ...result, content: kept }
}

function repeats(item: unknown, structured: unknown): boolean {
  const text = isJsonObject(item) && item.type === 'text' ? textOf(item) : undefined
  if (text === undefined || !/^\s*[[{]/.test(text)) return false
  try {
    return isSame(readSource(text), structured)
  } catch {
    return false
  }
}

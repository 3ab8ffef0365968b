import { isJsonObject, jsonReader, writeJson, type JsonObject } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import { isSame } from '../../model/index.ts'
import { pagesOf } from './kept-results.ts'

/** Models read about one token for four bytes. */
const BYTES_PER_TOKEN = 4
const HEAD = 0.75

const readSource = jsonReader('source')

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

export interface Shortening {
  readonly maxTokens: number | undefined
  readonly dropRepeated: boolean
  /** The tool promises structured content: it cannot be left out. */
  readonly isPromised: boolean
}

/** Keeps a text for the caller, and returns its URI; undefined when it cannot be kept. */
export type Keep = (text: string) => Promise<string | undefined>

/**
 * A result of a tool that is no longer than allowed: of long texts the head and the tail, and a link to all of it. The
 * same result when it is short enough.
 */
export async function shortenResult(result: JsonObject, how: Shortening, keep: Keep): Promise<JsonObject> {
  const plain = withoutLongStructure(how.dropRepeated ? withoutRepeated(result) : result, how)
  const { content, structuredContent } = plain
  if (how.maxTokens === undefined || !Array.isArray(content)) return plain
  const structured = structuredContent === undefined ? 0 : tokensOf(writeJson(structuredContent))
  const lengths = content.map((item) => tokensOf(textOf(item) ?? ''))
  const all = lengths.reduce((sum, length) => sum + length, structured)
  if (all <= how.maxTokens) return plain
  const allowed = shareOf(lengths, Math.max(0, how.maxTokens - structured))
  const texts = content.map(textOf)
  const long = texts.filter((text, at) => text !== undefined && lengths[at]! > allowed)
  if (long.length === 0) return plain
  const whole = long.join('\n\n')
  const uri = await keep(whole)
  const shown = content.map((item, at) =>
    texts[at] !== undefined && lengths[at]! > allowed
      ? withText(item as JsonObject, headAndTail(texts[at], allowed, uri))
      : item,
  )
  return { ...plain, content: uri === undefined ? shown : [...shown, linkTo(uri, whole)] }
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
function shareOf(lengths: readonly number[], room: number): number {
  const sorted = lengths.toSorted((one, other) => one - other)
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
  const tail = text.slice(text.length - Math.floor(text.length * share * (1 - HEAD)))
  const left = text.length - head.length - tail.length
  const rest = uri === undefined ? 'they are not kept: ask for less' : `all of it: ${uri}`
  return `${head}\n[… ${left} characters left out; ${rest} …]\n${tail}`
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

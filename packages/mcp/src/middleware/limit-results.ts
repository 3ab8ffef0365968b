import type { Middleware } from '../exchange/exchange.ts'
import { discardLate, isJsonObject, type JsonObject, NotReadYet } from '../jsonrpc/index.ts'
import { type FormsOf, requireKnownOptions } from '../protocol/known-options.ts'

export interface LimitResultsOptions {
  /** Characters of all content of one result. Default: 100,000, about 25,000 tokens. */
  maxCharacters?: number
}

const OPTIONS: FormsOf<LimitResultsOptions> = { maxCharacters: 1 }

/**
 * Keeps tools from flooding the model: text is cut where the limit is, with a note of what is missing. Other content
 * that does not fit is left out with a note, and so are files that are read while they are sent. Structured content
 * cannot be cut, so that the call fails with advice.
 *
 * ```ts
 * app.use(limitResults({ maxCharacters: 20_000 }))
 * ```
 */
export function limitResults(options: LimitResultsOptions = {}): Middleware {
  requireKnownOptions('limit of results', OPTIONS, options)
  const { maxCharacters = 100_000 } = options
  return async (exchange, next) => {
    const outcome = await next()
    if (exchange.method !== 'tools/call' || outcome.type !== 'complete') return outcome
    const { structuredContent, content } = outcome.result
    const structured = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length
    if (structured > maxCharacters) return { type: 'complete', result: tooLong(structured, maxCharacters) }
    if (!Array.isArray(content) || lengthOf(content) <= maxCharacters) return outcome
    return { type: 'complete', result: { ...outcome.result, content: cut(content, maxCharacters) } }
  }
}

function tooLong(length: number, most: number): JsonObject {
  const text = `The result has ${length} characters, and at most ${most} can be sent. Ask for less: a filter, a page, a summary.`
  return { content: [{ type: 'text', text }], isError: true }
}

function lengthOf(content: readonly unknown[]): number {
  return content.reduce((sum: number, block) => sum + sizeOf(block), 0)
}

function sizeOf(block: unknown): number {
  const text = textOf(block)
  if (text !== undefined) return text.length
  try {
    return JSON.stringify(block).length
  } catch (thrown) {
    // A file is read while it is sent, so its length is not known yet.
    if (thrown instanceof NotReadYet) return Number.POSITIVE_INFINITY
    throw thrown
  }
}

function textOf(block: unknown): string | undefined {
  return isJsonObject(block) && block.type === 'text' && typeof block.text === 'string'
    ? block.text
    : undefined
}

function cut(content: readonly unknown[], most: number): unknown[] {
  let left = most
  let missing = 0
  const kept = content.flatMap((block) => {
    const size = sizeOf(block)
    if (size <= left) {
      left -= size
      return [block]
    }
    if (size === Number.POSITIVE_INFINITY) discardLate(block as JsonObject)
    const text = textOf(block)
    const room = text === undefined ? 0 : left
    missing += size - room
    left -= room
    return text === undefined || room === 0
      ? []
      : [{ ...(block as JsonObject), text: wholeCharacters(text, room) }]
  })
  const what = Number.isFinite(missing)
    ? `${missing} of ${missing + most - left} characters are`
    : 'A file is'
  const note = `[${what} left out: the result is too long. Ask for less.]`
  return [...kept, { type: 'text', text: note }]
}

/** The beginning of a text that ends with no half of a character. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

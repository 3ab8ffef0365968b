import { isJsonObject, jsonReader } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import type { JsonObject } from '@gantry/mcp/server'
import type { Answer } from '../request/send-request.ts'
import { checkValue } from '../tools/check-value.ts'
import { isJson } from '../operations/read-body.ts'
import type { Redactor } from '../request/redact.ts'
import type { OperationPlan } from '../tools/tool-plan.ts'

const readJson = jsonReader('source')

/** Headers that help the reader of a result: pages, places, limits, versions. */
const SHOWN_HEADERS = ['link', 'location', 'retry-after', 'etag', 'last-modified', 'content-disposition']

/** The answer of an API as the result of a tool call (MCP 2026-07-28, Tools, Tool Result), without credentials. */
export function toResult(answer: Answer, context: ResultContext): JsonObject {
  const { structuredContent, ...rest } = resultOf(answer, context)
  const clean = context.redactor.value(rest)
  return structuredContent === undefined ? clean : { ...clean, structuredContent }
}

/** Structured content, which may be large, is without credentials already. */
function resultOf(answer: Answer, context: ResultContext): JsonObject {
  if (answer.status < 200 || answer.status > 299) return withMeta(errorResult(answer, context), answer)
  if (!answer.complete) {
    const text = `The API answered ${status(answer)}, but the body is larger than the gateway reads.`
    return withMeta(fail(`${text} Ask for less, or have openapi.maxResponseBytes raised.`), answer)
  }
  return withMeta(
    answer.bytes.length === 0 ? emptyResult(answer, context) : bodyResult(answer, context),
    answer,
  )
}

function bodyResult(answer: Answer, context: ResultContext): JsonObject {
  const contentType = answer.headers.get('content-type')
  const media = mediaOf(contentType, answer.bytes)
  if (media === 'json') return jsonResult(decodeText(answer.bytes, contentType), answer, context)
  if (media === 'text') return promised(decodeText(answer.bytes, contentType), answer, context)
  const mimeType = mediaTypeOf(contentType) || 'application/octet-stream'
  const data = Buffer.from(context.redactor.bytes(answer.bytes)).toString('base64')
  const about = `${mimeType}, ${answer.bytes.length} bytes`
  if (context.plan.output) return promised(`The body is ${about}.`, answer, context)
  if (media === 'image' || media === 'audio') return { content: [{ type: media, data, mimeType }] }
  const resource = { uri: context.url, mimeType, blob: data }
  return {
    content: [
      { type: 'text', text: about },
      { type: 'resource', resource },
    ],
  }
}

function jsonResult(raw: string, answer: Answer, context: ResultContext): JsonObject {
  let parsed: unknown
  try {
    parsed = readJson(raw)
  } catch {
    return promised(raw, answer, context)
  }
  const { text, value } = context.redactor.json(raw, parsed)
  const { output } = context.plan
  const problems = output ? checkValue(output.schema, value) : []
  if (problems.length > 0) return mismatch(problems.join('; '), text, answer, context)
  // With a schema, the result must have the form that the list announces. Without a schema, the value decides.
  const wrap = context.objectsOnly && (output ? !output.isObjectRoot : !isJsonObject(value))
  return { content: [{ type: 'text', text }], structuredContent: wrap ? { result: value } : value }
}

function emptyResult(answer: Answer, context: ResultContext): JsonObject {
  const { operation } = context.plan
  if (operation.method !== 'head') {
    const location = answer.headers.get('location')
    const place = location === null ? '' : ` Location: ${location}`
    return promised(`The API answered ${status(answer)} without a body.${place}`, answer, context)
  }
  const names = ['content-type', 'content-length', ...SHOWN_HEADERS]
  const lines = names.flatMap((name) =>
    answer.headers.has(name) ? `${name}: ${answer.headers.get(name)}` : [],
  )
  return { content: [{ type: 'text', text: [`${status(answer)}`, ...lines].join('\n') }] }
}

/** Text is a fine result, unless the tool promised JSON. */
function promised(text: string, answer: Answer, context: ResultContext): JsonObject {
  if (context.plan.output === undefined) return { content: [{ type: 'text', text }] }
  return mismatch('it is not JSON', text, answer, context)
}

/** A success that breaks the output schema becomes an error with the body that says the call succeeded. */
function mismatch(problem: string, body: string, answer: Answer, context: ResultContext): JsonObject {
  const text =
    `The API answered ${status(answer)}: the call succeeded, do not repeat it. But the answer does not match the ` +
    `description of the API (${problem}), so it cannot be given as structured content. It was:\n\n`
  return fail(text + errorText(context.redactor.text(body)))
}

function fail(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true }
}

function status(answer: Answer): string {
  return `${answer.status} ${answer.statusText}`.trim()
}

function withMeta(result: JsonObject, answer: Answer): JsonObject {
  const shown = SHOWN_HEADERS.filter((name) => answer.headers.has(name))
  const headers = Object.fromEntries(shown.map((name) => [name, answer.headers.get(name)]))
  return { ...result, _meta: { 'gantry/http': { status: answer.status, headers } } }
}

/** An error page must not fill the context of a model. */
const MOST_CHARACTERS = 16_000

/** 3xx, 4xx and 5xx: an error that the model can act upon, with status, reason, what to do, and the body. */
function errorResult(answer: Answer, context: ResultContext): JsonObject {
  const { operation } = context.plan
  const reason = operation.responses.find(
    (response) => response.status === String(answer.status),
  )?.description
  const lines = [`HTTP ${`${answer.status} ${answer.statusText}`.trim()} from ${operation.key}`]
  if (reason) lines.push(reason.slice(0, 500))
  const hint = hintFor(answer)
  if (hint) lines.push(hint)
  const body = bodyText(answer)
  if (body) lines.push('', body)
  return { content: [{ type: 'text', text: context.redactor.text(lines.join('\n')) }], isError: true }
}

function errorText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  return `${text.slice(0, MOST_CHARACTERS)}\n… (${text.length - MOST_CHARACTERS} more characters)`
}

function hintFor(answer: Answer): string | undefined {
  const wait = answer.headers.get('retry-after')
  if (answer.refusedRedirect) {
    return `It redirects to ${answer.refusedRedirect}, which was not followed. If that is meant, have openapi.redirects changed.`
  }
  if (answer.status === 401) return 'The operator has to check "auth" of this target in the configuration.'
  if (answer.status === 403) return 'The configured credentials may not do this.'
  if (wait !== null) return `Wait before you try again: Retry-After ${wait}.`
  if (answer.status === 429) return 'Too many requests: wait before you try again.'
  return undefined
}

function bodyText(answer: Answer): string {
  if (answer.bytes.length === 0) return ''
  const contentType = answer.headers.get('content-type')
  const media = mediaOf(contentType, answer.bytes)
  if (media !== 'json' && media !== 'text') return `(${contentType}, ${answer.bytes.length} bytes)`
  return errorText(decodeText(answer.bytes, contentType))
}

type Media = 'json' | 'text' | 'image' | 'audio' | 'binary'

function mediaOf(contentType: string | null, bytes: Uint8Array): Media {
  const type = mediaTypeOf(contentType)
  if (type === '') return guess(bytes)
  if (isJson(type)) return 'json'
  if (type.startsWith('image/') && type !== 'image/svg+xml') return 'image'
  if (type.startsWith('audio/')) return 'audio'
  if (
    type.startsWith('text/') ||
    /[/+](xml|yaml|x-yaml|x-ndjson|jsonl|json-seq|javascript|graphql)$/.test(type)
  ) {
    return 'text'
  }
  return type === 'application/x-www-form-urlencoded' ? 'text' : 'binary'
}

/** Some servers leave the media type out: text when it is valid UTF-8, JSON when it parses. */
function guess(bytes: Uint8Array): Media {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.includes('\0')) return 'binary'
    parseJson(text)
    return 'json'
  } catch (error) {
    return error instanceof SyntaxError ? 'text' : 'binary'
  }
}

function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const charset = /charset="?([\w-]+)"?/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** `text/html; charset=utf-8` → `text/html`; empty when there is no media type. */
function mediaTypeOf(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

interface ResultContext {
  readonly plan: OperationPlan
  /** Revisions before 2026-07-28: structured content has to be an object. */
  readonly objectsOnly: boolean
  /** For embedded resources: without query, where secrets may be. */
  readonly url: string
  readonly redactor: Redactor
}

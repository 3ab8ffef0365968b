import type { JsonObject } from '../mcp.ts'
import type { Answer } from '../request/send-request.ts'
import { decodeText, mediaOf } from './media.ts'
import type { ResultContext } from './result-context.ts'

/** An error page must not fill the context of a model. */
const MOST_CHARACTERS = 16_000

/** 3xx, 4xx and 5xx: an error that the model can act upon, with status, reason, what to do, and the body. */
export function errorResult(answer: Answer, context: ResultContext): JsonObject {
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

export function errorText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  return `${text.slice(0, MOST_CHARACTERS)}\n… (${text.length - MOST_CHARACTERS} more characters)`
}

function hintFor(answer: Answer): string | undefined {
  const wait = answer.headers.get('retry-after')
  if (answer.refusedRedirect) {
    return `It redirects to ${answer.refusedRedirect}, which the gateway does not follow (option "redirects").`
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

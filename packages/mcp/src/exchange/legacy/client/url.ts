import {
  INVALID_REQUEST,
  isJsonObject,
  ProtocolError,
  URL_ELICITATION_REQUIRED,
} from '../../../jsonrpc/index.ts'
import { type Exchange, type Failure, failure, type InputRequests, type Outcome } from '../../exchange.ts'

export interface UrlQuestions {
  readonly requests: InputRequests
  readonly elicitationIds: readonly string[]
}

const KEY_PREFIX = 'url-'

/** Error −32042 (2025-11-25 only) lists URL elicitations to go through before the request is sent again. */
export function urlQuestions(outcome: Outcome, exchange: Exchange): UrlQuestions | undefined {
  if (outcome.type !== 'error' || outcome.error.code !== URL_ELICITATION_REQUIRED) return undefined
  if (!exchange.client.capabilities.elicitation?.url) return undefined
  const { data } = outcome.error
  const elicitations = isJsonObject(data) && Array.isArray(data.elicitations) ? data.elicitations : []
  const requests: InputRequests = {}
  const elicitationIds: string[] = []
  for (const params of elicitations) {
    if (!isJsonObject(params)) continue
    requests[`${KEY_PREFIX}${Object.keys(requests).length + 1}`] = { method: 'elicitation/create', params }
    if (typeof params.elicitationId === 'string') elicitationIds.push(params.elicitationId)
  }
  return Object.keys(requests).length > 0 ? { requests, elicitationIds } : undefined
}

export function allAccepted(responses: unknown): boolean {
  return isJsonObject(responses) && Object.values(responses).every((answer) => isAccepted(answer))
}

/** Whether a retry says that its caller went to every one of these pages. */
export function acceptsPages({ params }: Exchange, { requests }: UrlQuestions): boolean {
  const responses = params.inputResponses
  return isJsonObject(responses) && Object.keys(requests).every((key) => isAccepted(responses[key]))
}

/** A retry that says no to a URL would only be refused again: it ends here. */
export function declinedUrl(exchange: Exchange): Failure | undefined {
  const responses = exchange.params.inputResponses
  if (!isJsonObject(responses)) return undefined
  const declined = Object.entries(responses).some(
    ([key, answer]) => key.startsWith(KEY_PREFIX) && !isAccepted(answer),
  )
  if (!declined) return undefined
  return failure(new ProtocolError(INVALID_REQUEST, 'The elicitation that this request needs was declined'))
}

function isAccepted(answer: unknown): boolean {
  return isJsonObject(answer) && answer.action === 'accept'
}

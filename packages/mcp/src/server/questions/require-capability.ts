import { missingCapability as missingFrom } from '../../exchange/message-hints.ts'
import type { Exchange, InputRequest } from '../../exchange/index.ts'
import { requireKnownOptions } from '../../protocol/known-options.ts'
import { QuestionError } from './question-error.ts'

/** Why the client cannot be asked this; undefined when it can. */
export function missingCapability(request: InputRequest, exchange: Exchange): QuestionError | undefined {
  const requiredCapabilities = missingFrom(request, exchange.client.capabilities)
  if (!requiredCapabilities) return undefined
  const names = Object.entries(requiredCapabilities).map(([name, parts]) => nameOf(name, parts))
  return new QuestionError('missing_capability', `The client does not support ${names.join(', ')}`, {
    details: { requiredCapabilities },
  })
}

/** `elicitation.url` where a part of it is missing: a client may have the other part. */
function nameOf(name: string, parts: unknown): string {
  return [name, ...Object.keys(parts ?? {})].join('.')
}

/** Throws when the client lacks what a question needs, or when an option is unknown. */
export function requireQuestion(request: InputRequest, exchange: Exchange, options: object = {}): void {
  requireKnownOptions('question', { key: 1 }, options)
  const missing = missingCapability(request, exchange)
  if (missing) throw missing
}

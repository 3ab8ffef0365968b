import { missingCapability as missingFrom } from '../../exchange/message-hints.ts'
import type { Exchange, InputRequest } from '../../exchange/index.ts'
import { QuestionError } from './question-error.ts'

/** Why the client cannot be asked this; undefined when it can. */
export function missingCapability(request: InputRequest, exchange: Exchange): QuestionError | undefined {
  const requiredCapabilities = missingFrom(request, exchange.client.capabilities)
  if (!requiredCapabilities) return undefined
  const name = Object.keys(requiredCapabilities).join(', ')
  return new QuestionError('missing_capability', `The client does not support ${name}`, {
    details: { requiredCapabilities },
  })
}

/** Throws when the client lacks what a question needs. */
export function requireCapability(request: InputRequest, exchange: Exchange): void {
  const missing = missingCapability(request, exchange)
  if (missing) throw missing
}

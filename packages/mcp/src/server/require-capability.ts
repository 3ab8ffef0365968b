import { missingCapability } from '../exchange/message-hints.ts'
import type { Exchange, InputRequest } from '../exchange/index.ts'
import { QuestionError } from './question-error.ts'

/** Throws when the client lacks what a question needs. */
export function requireCapability(request: InputRequest, exchange: Exchange): void {
  const requiredCapabilities = missingCapability(request, exchange.client.capabilities)
  if (!requiredCapabilities) return
  const name = Object.keys(requiredCapabilities).join(', ')
  throw new QuestionError('missing_capability', `The client does not support ${name}`, {
    details: { requiredCapabilities },
  })
}

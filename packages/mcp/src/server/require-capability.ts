import { knowsMissingCapability, missingCapability } from '../exchange/message-hints.ts'
import type { Exchange, InputRequest } from '../exchange/index.ts'
import { McpError, MISSING_CLIENT_CAPABILITY, ProtocolError } from '../jsonrpc/index.ts'

/** Throws when the client lacks what a question needs. Legacy handlers can catch it. */
export function requireCapability(request: InputRequest, exchange: Exchange): void {
  const missing = missingCapability(request, exchange.client.capabilities)
  if (!missing) return
  const name = Object.keys(missing).join(', ')
  if (knowsMissingCapability(exchange)) {
    throw new ProtocolError(MISSING_CLIENT_CAPABILITY, `The client does not support ${name}`, {
      requiredCapabilities: missing,
    })
  }
  throw new McpError('missing_capability', `The client does not support ${name}`, {
    details: { requiredCapabilities: missing },
  })
}

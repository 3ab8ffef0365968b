import { knowsMissingCapability } from '../../exchange/message-hints.ts'
import type { Exchange } from '../../exchange/index.ts'
import { INTERNAL_ERROR, McpError, MISSING_CLIENT_CAPABILITY, ProtocolError } from '../../jsonrpc/index.ts'

/** A question that got no usable answer, in every era. Handlers may catch it; otherwise the caller reads its message. */
export class QuestionError extends McpError {
  override readonly name = 'QuestionError'

  /** The error that a call ends with where a result cannot say it. */
  toProtocolError(exchange: Exchange): ProtocolError {
    const { requiredCapabilities } = this.details
    return requiredCapabilities !== undefined && knowsMissingCapability(exchange)
      ? new ProtocolError(MISSING_CLIENT_CAPABILITY, this.message, { requiredCapabilities })
      : new ProtocolError(INTERNAL_ERROR, this.message)
  }
}

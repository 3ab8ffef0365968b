import type { Outcome } from '../exchange/index.ts'
import { type JsonObject, McpError, ProtocolError } from '../jsonrpc/index.ts'

/** The result of a request that should be over: everything but a complete result is thrown. */
export function resultOf(outcome: Outcome, method: string): JsonObject {
  switch (outcome.type) {
    case 'complete':
      return outcome.result
    case 'error':
      throw ProtocolError.fromJsonRpc(outcome.error)
    case 'task':
      throw new McpError(
        'unsupported',
        `The server answered ${method} with a task: add the tasks extension`,
        { details: { task: outcome.task } },
      )
    case 'input_required':
      throw new McpError('bad_response', `The server asked for input in ${method}, which cannot give any`)
  }
}

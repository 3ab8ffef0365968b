import {
  type JsonRpcFailure,
  type JsonRpcRequest,
  type JsonRpcResponse,
  parseMessage,
} from '../../../jsonrpc/index.ts'
import { isSessionLost, isSessionLostError } from './errors.ts'

/** Whether a server still knows a session; 'unknown' when it does not say. */
export type SessionState = 'alive' | 'lost' | 'unknown'

/**
 * Asks whether a session still exists. The words of a refusal may be about another session, for example of a tool with
 * its backend. Edges count their ids from 1, so this id is never in use.
 */
export const SESSION_CHECK: JsonRpcRequest = { jsonrpc: '2.0', id: 2_000_000_000, method: 'ping' }

/** Reads the answer to `SESSION_CHECK`, whose text may be an event stream. */
export function sessionState({ ok, status, headers }: Response, text: string): SessionState {
  if (!ok) return isSessionLost(status, text, headers.get('www-authenticate')) ? 'lost' : 'unknown'
  const parsed = parseMessage(/^data: ?(.*)$/m.exec(text)?.[1] ?? text)
  return parsed.kind === 'response' && saysLost(parsed.message) ? 'lost' : 'alive'
}

/** Whether an answer that came with HTTP 200 reads as if the session were gone. */
export function saysLost(answer: JsonRpcResponse): answer is JsonRpcFailure {
  return 'error' in answer && isSessionLostError(answer.error)
}

import type { RequestContext, Served } from '../exchange/index.ts'
import { isModernRequest, openModernExchange } from '../exchange/modern/server-edge.ts'
import {
  respondSafely,
  modernRevisions,
  responseFacts,
  writeError,
  writeOutcome,
} from '../exchange/server/answer.ts'
import { LegacySession } from '../exchange/legacy/server/session.ts'
import {
  classifyMessage,
  jsonReader,
  METHOD_NOT_FOUND,
  parseMessage,
  ProtocolError,
  type JsonRpcRequest,
  type ParsedMessage,
} from '../jsonrpc/index.ts'

/** Answers one message with no connection behind it; `undefined` when there is nothing to answer. */
export async function answerParsed(
  parsed: ParsedMessage,
  served: Served,
  context: RequestContext,
): Promise<string | undefined> {
  switch (parsed.kind) {
    case 'request':
      return isModernRequest(parsed.message) && modernRevisions(served).length > 0
        ? answerModern(parsed.message, served, context)
        : new LegacySession(served, { send() {}, canPush: false }).request(parsed.message, context)
    case 'invalid':
      return parsed.isResponse ? undefined : JSON.stringify(parsed.reply)
    default:
      return undefined
  }
}

export function answerText(
  text: string,
  served: Served,
  context: RequestContext,
): Promise<string | undefined> {
  return answerParsed(parseMessage(text, jsonReader(served.numbers)), served, context)
}

export function answerValue(
  value: unknown,
  served: Served,
  context: RequestContext,
): Promise<string | undefined> {
  return answerParsed(classifyMessage(value), served, context)
}

async function answerModern(
  request: JsonRpcRequest,
  served: Served,
  context: RequestContext,
): Promise<string> {
  try {
    const exchange = openModernExchange(request, served, context, () => {})
    if (request.method === 'subscriptions/listen') {
      throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${request.method} (it needs a connection)`)
    }
    const outcome = await respondSafely(served, exchange)
    exchange.finish()
    const answer = writeOutcome(outcome, responseFacts(request, exchange.client.version, served))
    return typeof answer === 'string' ? answer : await answer.whole()
  } catch (error) {
    return writeError(request.id, ProtocolError.from(error).toJsonRpc())
  }
}

import { LegacySession } from '../../../exchange/legacy/server/session.ts'
import { negotiateLegacy } from '../../../exchange/server/answer.ts'
import type { ParsedMessage } from '../../../jsonrpc/index.ts'
import { StreamedAnswer, type AnswerHost } from './modern.ts'
import { toHttpRefusal, type HttpRefusal } from './refusal.ts'
import type { HttpCall, HttpReply } from './reply.ts'

/** The revision of a client that does not name a revision (2025-06-18, Transports, Protocol Version Header). */
const UNNAMED = '2025-03-26'

/** Answers one message of a legacy client without a session: nothing is kept, nothing can be asked. */
export function answerStateless(
  parsed: ParsedMessage,
  call: HttpCall,
  reply: HttpReply,
  host: AnswerHost,
): void {
  if (parsed.kind !== 'request') return reply.empty(202)
  const { served } = host
  const answer = new StreamedAnswer(parsed.message.id, reply, host, call.headers.accept)
  let refusal: HttpRefusal | undefined
  const session = new LegacySession(served, {
    canPush: false,
    refused: (_id, why) => {
      refusal = toHttpRefusal(why, host.context.challenge)
    },
    send: (text, relatedTo) => {
      if (relatedTo !== undefined) answer.notify(text)
    },
    sendLate: (_id, message) => answer.finishLate(message),
  })
  const version = negotiateLegacy(served, call.headers['mcp-protocol-version'] ?? UNNAMED)
  if (version) session.restore({ version, capabilities: {} })
  const finish = (text: string | undefined): void => {
    if (text !== undefined) answer.finish(refusal?.status ?? statusOf(version), text, refusal?.headers)
  }
  const text = session.request(parsed.message, host.context)
  if (!(text instanceof Promise)) return finish(text)
  reply.onAbort(() => answer.drop('disconnected'))
  answer.cut = (error) => session.close('closed', error)
  answer.wait((reason) => session.close(reason))
  text.then(finish)
}

/** A server without legacy revisions refuses `initialize` as it refuses any malformed request. */
function statusOf(version: string | undefined): number {
  return version === undefined ? 400 : 200
}

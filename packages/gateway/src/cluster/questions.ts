import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { parseUrl } from '@gantry/mcp/foreign'
import type { HopTls } from './hop-tls.ts'
import type { Members } from './members.ts'
import { PASSPORT, type Passports } from './passport.ts'

/** The path of questions, and what a passport for one is for. No target has this name. */
export const QUESTIONS = '/questions'

/** A gateway that lives says at once that it answers, however long the answer takes. */
const HEAD_WITHIN = 2_000
/** Longer questions are no questions. */
const MOST_BYTES = 16 * 1024 * 1024

/** Answers a question of another gateway, line by line, until the signal is aborted. */
export type AnswerQuestion = (question: string, signal: AbortSignal) => AsyncIterable<string>

export interface GatewayQuestionsOptions {
  readonly members: Pick<Members, 'others' | 'lastAddressOf' | 'untilGone'>
  readonly passports: Passports
  readonly tls: HopTls | undefined
}

/** Asks the other gateways what they do, for people who look at one gateway and mean all of them. */
export class GatewayQuestions {
  readonly #options: GatewayQuestionsOptions

  constructor(options: GatewayQuestionsOptions) {
    this.#options = options
  }

  /** The gateways that live. */
  get ids(): readonly string[] {
    return this.#options.members.others
  }

  /** Where it is. */
  nameOf(id: string): string {
    return this.#options.members.lastAddressOf(id) ?? id
  }

  /** The lines of one of them. It throws when that gateway is gone, or says no more. */
  async *ask(id: string, question: string, signal: AbortSignal): AsyncGenerator<string> {
    const { members, passports, tls } = this.#options
    const address = parseUrl(members.lastAddressOf(id) ?? '')
    if (!address) throw new Error(`The gateway ${id} is gone`)
    const over = new AbortController()
    const forget = members.untilGone(id, () => over.abort())
    const asked = (tls ? httpsRequest : httpRequest)({
      ...tls?.asClient,
      hostname: address.hostname,
      port: address.port,
      path: QUESTIONS,
      method: 'POST',
      // Its answers about itself also count while it leaves.
      headers: { [PASSPORT]: passports.sign({ target: QUESTIONS, to: id, begun: true }) },
      agent: false,
      signal: AbortSignal.any([signal, over.signal]),
    })
    asked.on('error', () => {})
    const limit = setTimeout(() => over.abort(), HEAD_WITHIN)
    try {
      asked.end(question)
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      clearTimeout(limit)
      if (answer.statusCode !== 200) throw new Error(`The gateway ${id} answered with ${answer.statusCode}`)
      yield* linesOf(answer)
    } finally {
      clearTimeout(limit)
      forget()
      asked.destroy()
    }
  }
}

/** Answers the request of a gateway that has shown a passport. */
export async function answerQuestion(
  request: IncomingMessage,
  response: ServerResponse,
  answer: AnswerQuestion,
): Promise<void> {
  const over = new AbortController()
  response.once('close', () => over.abort())
  let question = ''
  request.setEncoding('utf8')
  for await (const piece of request) {
    question += piece
    if (question.length > MOST_BYTES) return void response.writeHead(413).end()
  }
  response.writeHead(200, { 'content-type': 'application/jsonl' })
  response.flushHeaders()
  for await (const line of answer(question, over.signal)) {
    // The gateway in front cuts off readers that are far behind, and with them this answer.
    if (!response.write(`${line}\n`)) await Promise.race([once(response, 'drain'), once(response, 'close')])
    if (over.signal.aborted) return
  }
  response.end()
}

async function* linesOf(answer: IncomingMessage): AsyncGenerator<string> {
  answer.setEncoding('utf8')
  let begun: string[] = []
  for await (const piece of answer as AsyncIterable<string>) {
    const [first, ...more] = piece.split('\n')
    begun.push(first!)
    for (const next of more) {
      yield begun.join('')
      begun = [next]
    }
  }
}

import { randomUUID } from 'node:crypto'
import { ProtocolError } from '@gantry/mcp/exchange'
import type { ElicitFormParams, ElicitResult } from '@gantry/mcp/server'
import { ApiError } from '../api-error.ts'
import type { JsonObject, PlaygroundQuestion } from '../contract.ts'

interface Open {
  readonly question: PlaygroundQuestion
  settle(answer: JsonObject): void
  refuse(error: Error): void
}

export interface QuestionEvents {
  /** The target that the call is at. */
  target(): string | undefined
  asked(question: PlaygroundQuestion): void
  answered(question: string, answer: JsonObject): void
  /** The server, or the connection to it, is gone before it was answered. */
  withdrawn(question: string): void
}

export class Questions {
  readonly #open = new Map<string, Open>()
  readonly #events: QuestionEvents

  constructor(events: QuestionEvents) {
    this.#events = events
  }

  get waiting(): PlaygroundQuestion[] {
    return [...this.#open.values()].map(({ question }) => question)
  }

  ask(
    kind: PlaygroundQuestion['kind'],
    method: string,
    params: object,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const id = randomUUID()
    const target = this.#events.target()
    const question = {
      id,
      kind,
      method,
      params: params as JsonObject,
      askedAt: Date.now(),
      ...(target !== undefined && { target }),
    }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (this.#open.delete(id)) this.#events.withdrawn(id)
        reject(signal.reason instanceof Error ? signal.reason : new Error('The question was withdrawn'))
      }
      if (signal.aborted) return onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      this.#open.set(id, {
        question,
        settle: (answer) => {
          signal.removeEventListener('abort', onAbort)
          resolve(answer)
        },
        refuse: (error) => {
          signal.removeEventListener('abort', onAbort)
          reject(error)
        },
      })
      this.#events.asked(question)
    })
  }

  answer(id: string, answer: JsonObject): void {
    const open = this.#open.get(id)
    if (!open) {
      throw new ApiError('gone', 'This question is not open any more', {
        fix: 'It was answered, or the call has ended.',
      })
    }
    checkAnswer(open.question, answer)
    this.#open.delete(id)
    this.#events.answered(id, answer)
    if (isDeclinedSampling(open.question, answer))
      open.refuse(new ProtocolError(-1, 'User rejected sampling request'))
    else open.settle(answer)
  }
}

/** A result of sampling has no word for no; the protocol refuses it by an error. */
function isDeclinedSampling({ kind }: PlaygroundQuestion, { action }: JsonObject): boolean {
  return kind === 'sampling' && action === 'decline'
}

/** An answer of the wrong shape would only make the call fail; here it can still be put right. */
function checkAnswer(question: PlaygroundQuestion, answer: JsonObject): void {
  if (isDeclinedSampling(question, answer)) return
  const { kind, params } = question
  if (kind === 'sampling') {
    if (typeof answer.role === 'string' && typeof answer.model === 'string' && answer.content) return
    throw new ApiError('bad_request', 'An answer to sampling has "role", "model" and "content"')
  }
  const { action, content } = answer as Partial<ElicitResult>
  if (!['accept', 'decline', 'cancel'].includes(String(action))) {
    throw new ApiError('bad_request', 'An answer has the "action" accept, decline or cancel')
  }
  if (action !== 'accept' || kind === 'url') return
  const { required = [] } = (params as unknown as ElicitFormParams).requestedSchema ?? {}
  const missing = (required as string[]).filter((name) => !Object.hasOwn(content ?? {}, name))
  if (missing.length > 0) throw new ApiError('bad_request', `The form lacks ${missing.join(', ')}`)
}

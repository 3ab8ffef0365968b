import { randomUUID } from 'node:crypto'
import type { ElicitFormParams, ElicitResult } from '@gantry/mcp/server'
import { ApiError } from '../api-error.ts'
import type { JsonObject, PlaygroundQuestion } from '../contract.ts'

interface Open {
  readonly question: PlaygroundQuestion
  settle(answer: JsonObject): void
}

export interface QuestionEvents {
  asked(question: PlaygroundQuestion): void
  answered(question: string, answer: JsonObject): void
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
    const question = { id, kind, method, params: params as JsonObject, askedAt: Date.now() }
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#open.delete(id)
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
    open.settle(answer)
  }
}

/** An answer of the wrong shape would only make the call fail; here it can still be put right. */
function checkAnswer({ kind, params }: PlaygroundQuestion, answer: JsonObject): void {
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

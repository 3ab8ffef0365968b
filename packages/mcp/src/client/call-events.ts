import type { Exchange, InputRequest, InputRequests, InputResponses } from '../exchange/index.ts'
import type { JsonObject } from '../jsonrpc/index.ts'
import type { ContentBlock } from '../protocol/index.ts'
import type { CallResult } from './call-result.ts'
import type { LogMessage, Progress, RequestOptions } from './request-options.ts'

/** A question of the server. Left unanswered when the loop goes on, it goes to the client's own handlers. */
export interface QuestionEvent extends InputRequest {
  type: 'question'
  answer(response: JsonObject | Promise<JsonObject>): void
}

export type CallEvent =
  | (Progress & { type: 'progress' })
  | (LogMessage & { type: 'log' })
  | { type: 'content'; content: ContentBlock }
  | QuestionEvent
  | { type: 'result'; result: CallResult }

export interface CallEventsOptions {
  options: RequestOptions
  run(options: RequestOptions, ask: NonNullable<Exchange['ask']>): Promise<CallResult>
  /** Answers what the reader of the events left unanswered. */
  fallback: NonNullable<Exchange['ask']>
}

/** A call as it goes on: progress, log messages and questions, and the result at the end. */
export async function* callEvents(call: CallEventsOptions): AsyncGenerator<CallEvent, void, undefined> {
  const { options } = call
  const queue = new Queue()
  const abort = new AbortController()
  const onAbort = () => abort.abort(options.signal?.reason)
  if (options.signal?.aborted) onAbort()
  options.signal?.addEventListener('abort', onAbort, { once: true })
  const running = call.run(
    {
      ...options,
      signal: abort.signal,
      onProgress: (progress) => queue.push({ ...progress, type: 'progress' }),
      onContent: (content) => queue.push({ type: 'content', content }),
      onLog: (log) => queue.push({ ...log, type: 'log' }),
    },
    (requests, signal) => askReader(requests, signal, queue, call.fallback),
  )
  running.then(
    (result) => queue.push({ type: 'result', result }),
    (thrown: unknown) => queue.fail(thrown),
  )
  try {
    for (;;) {
      const event = await queue.next()
      yield event
      if (event.type === 'question') (event as AskedQuestion).leave()
      if (event.type === 'result') return
    }
  } finally {
    // Leaving the loop early cancels the call.
    abort.abort('The reader of the events has left')
    options.signal?.removeEventListener('abort', onAbort)
  }
}

async function askReader(
  requests: InputRequests,
  signal: AbortSignal | undefined,
  queue: Queue,
  fallback: NonNullable<Exchange['ask']>,
): Promise<InputResponses> {
  const answers = Object.entries(requests).map(async ([key, request]) => {
    const question = new AskedQuestion(request)
    queue.push(question)
    const answer = (await question.answered) ?? (await fallback({ [key]: request }, signal))[key]
    return [key, answer] as const
  })
  return Object.fromEntries(await Promise.all(answers)) as InputResponses
}

class AskedQuestion implements QuestionEvent {
  readonly type = 'question'
  readonly method: string
  readonly params?: JsonObject
  /** Resolves with nothing when the reader left the question alone. */
  readonly answered: Promise<JsonObject | undefined>
  #settle: (answer: JsonObject | Promise<JsonObject> | undefined) => void = () => {}

  constructor(request: InputRequest) {
    this.method = request.method
    if (request.params) this.params = request.params
    this.answered = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  answer(response: JsonObject | Promise<JsonObject>): void {
    this.#settle(response)
  }

  leave(): void {
    this.#settle(undefined)
  }
}

/** A server may report faster than a reader reads, on purpose too. What is newest tells most. */
const MAX_WAITING = 1_000

/** Hands events from callbacks to a loop. Of reports that wait, the oldest are dropped; questions never are. */
class Queue {
  readonly #items: CallEvent[] = []
  #reports = 0
  #failure: { thrown: unknown } | undefined
  #wake: () => void = () => {}

  push(item: CallEvent): void {
    if (isReport(item) && ++this.#reports > MAX_WAITING) {
      this.#items.splice(this.#items.findIndex(isReport), 1)
      this.#reports--
    }
    this.#items.push(item)
    this.#wake()
  }

  fail(thrown: unknown): void {
    this.#failure = { thrown }
    this.#wake()
  }

  async next(): Promise<CallEvent> {
    for (;;) {
      const item = this.#items.shift()
      if (item !== undefined) {
        if (isReport(item)) this.#reports--
        return item
      }
      if (this.#failure) throw this.#failure.thrown
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

function isReport({ type }: CallEvent): boolean {
  return type === 'progress' || type === 'log' || type === 'content'
}

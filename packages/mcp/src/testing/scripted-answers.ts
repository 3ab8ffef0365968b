import type { AnswerHandlers } from '../client/index.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import type {
  CreateMessageParams,
  CreateMessageResult,
  Duration,
  ElicitParams,
  ElicitResult,
  Root,
} from '../protocol/index.ts'
import type { FakeClock } from './fake-clock.ts'

type Kind = 'elicitation' | 'sampling'
/** Part of a question's text, or a pattern for it. */
export type QuestionMatch = string | RegExp

interface Scripted {
  readonly kind: Kind
  readonly when: QuestionMatch | undefined
  readonly answer: JsonObject
  /** How long it takes, in the time of the test. */
  readonly after: Duration | undefined
}

export interface AskedQuestion {
  readonly kind: Kind | 'roots'
  readonly message: string
  readonly params: JsonObject
}

/**
 * The user and the model of a test: answers are given in the order they were written down, each once. An
 * answer with a pattern waits for a question that matches it.
 *
 * ```ts
 * t.answers.accept({ region: 'eu' }).decline(/delete/i).sample('Paris')
 * ```
 */
export class ScriptedAnswers {
  readonly asked: AskedQuestion[] = []
  /** Questions that no answer was written down for. */
  readonly unanswered: string[] = []
  #script: Scripted[] = []
  #roots: readonly Root[] = []
  #after: Duration | undefined
  readonly #startClock: () => FakeClock

  /** The clock is that of the test; `after` needs it. */
  constructor(startClock: () => FakeClock = noClock) {
    this.#startClock = startClock
  }

  /**
   * The next answer takes so long, without the test waiting for it: `answers.after('1h').accept({ … })` finds out what a
   * handler does when no answer comes in time.
   */
  after(duration: Duration): this {
    this.#startClock()
    this.#after = duration
    return this
  }

  /** The user fills in the form, or goes to the page. */
  accept(content?: JsonObject, when?: QuestionMatch): this {
    return this.#add(
      'elicitation',
      content === undefined ? { action: 'accept' } : { action: 'accept', content },
      when,
    )
  }

  decline(when?: QuestionMatch): this {
    return this.#add('elicitation', { action: 'decline' }, when)
  }

  cancel(when?: QuestionMatch): this {
    return this.#add('elicitation', { action: 'cancel' }, when)
  }

  /** The model says this. */
  sample(reply: string | CreateMessageResult, when?: QuestionMatch): this {
    const content = { type: 'text', text: reply }
    const answer =
      typeof reply === 'string' ? { role: 'assistant', content, model: 'scripted' } : { ...reply }
    return this.#add('sampling', answer, when)
  }

  roots(...roots: readonly (Root | string)[]): this {
    this.#roots = roots.map((root) => (typeof root === 'string' ? { uri: root } : root))
    return this
  }

  /** Answers that were not asked for. */
  get unused(): readonly string[] {
    return this.#script.map(({ kind, when, answer }) => `${kind} ${when ?? ''} ${JSON.stringify(answer)}`)
  }

  /** Throws when a question had no answer, or an answer no question. */
  verify(): void {
    if (this.unanswered.length > 0) {
      throw new Error(`No answer is scripted for: ${this.unanswered.join('; ')}`)
    }
    if (this.#script.length > 0) throw new Error(`Nobody asked for: ${this.unused.join('; ')}`)
  }

  /** The handlers of a client for these answers. */
  get handlers(): AnswerHandlers {
    return {
      elicit: (params) =>
        this.#next('elicitation', messageOf(params), params) as Promise<unknown> as Promise<ElicitResult>,
      sample: (params) =>
        this.#next('sampling', promptOf(params), params) as Promise<unknown> as Promise<CreateMessageResult>,
      roots: () => {
        this.asked.push({ kind: 'roots', message: 'roots/list', params: {} })
        return this.#roots
      },
    }
  }

  #add(kind: Kind, answer: JsonObject, when: QuestionMatch | undefined): this {
    this.#script.push({ kind, answer, when, after: this.#after })
    this.#after = undefined
    return this
  }

  async #next(kind: Kind, message: string, params: JsonObject): Promise<JsonObject> {
    this.asked.push({ kind, message, params })
    const found = this.#script.find((item) => item.kind === kind && matches(item.when, message))
    if (!found) {
      this.unanswered.push(`${kind} "${message}"`)
      throw new Error(`No answer is scripted for ${kind} "${message}"`)
    }
    this.#script = this.#script.filter((item) => item !== found)
    if (found.after !== undefined) await this.#startClock().advance(found.after)
    return found.answer
  }
}

function noClock(): never {
  throw new Error('Answers take time only with a clock: new ScriptedAnswers(() => clock)')
}

function messageOf(params: ElicitParams): string {
  return String(params.message)
}

function promptOf(params: CreateMessageParams): string {
  const content = params.messages.at(-1)?.content
  const block = Array.isArray(content) ? content[0] : content
  return isJsonObject(block) && typeof block.text === 'string' ? block.text : ''
}

function matches(when: QuestionMatch | undefined, message: string): boolean {
  if (when === undefined) return true
  return typeof when === 'string' ? message.includes(when) : when.test(message)
}

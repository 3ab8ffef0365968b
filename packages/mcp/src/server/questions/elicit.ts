import { McpError, isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'
import type { Exchange, InputRequest } from '../../exchange/index.ts'
import { LATEST_LEGACY, type JsonSchema } from '../../protocol/index.ts'
import { compileSchema, describeIssues, elicitationSchema, type StandardSchema } from '../../schema/index.ts'
import { QuestionError } from './question-error.ts'
import type { Questions } from './questions.ts'
import { requireQuestion } from './require-capability.ts'

/** The user declined or closed the question. When it is not caught, it becomes a clean tool result. */
export class Declined extends McpError {
  readonly action: 'decline' | 'cancel'

  constructor(action: 'decline' | 'cancel', question: string) {
    const verb = action === 'decline' ? 'declined' : 'cancelled'
    super('declined', `The user ${verb}: ${question}`)
    this.name = 'Declined'
    this.action = action
  }
}

export type ElicitOutcome<T> = { action: 'accept'; value: T } | { action: 'decline' } | { action: 'cancel' }

export interface QuestionOptions {
  /** Names the answer in the wire messages and across rounds; unique within the call. */
  key?: string
}

export interface PageOptions extends QuestionOptions {
  /** The id of the visit, for `ctx.elicit.complete(id)`. Newer clients have no such ids. */
  elicitationId?: string
}

type FormSchema<T> = StandardSchema<unknown, T> | JsonSchema

/** `ctx.elicit(…)` for the value, `ctx.elicit.result(…)` for the whole answer, `ctx.elicit.url(…)` for a page. */
export interface Elicit {
  <T = JsonObject>(message: string, schema: FormSchema<T>, options?: QuestionOptions): Promise<T>
  result<T = JsonObject>(
    message: string,
    schema: FormSchema<T>,
    options?: QuestionOptions,
  ): Promise<ElicitOutcome<T>>
  url(message: string, url: string, options?: PageOptions): Promise<void>
  /** Tells a client of 2025-11-25 that the user is done with a page, while the call goes on. */
  complete(elicitationId: string): void
}

export function createElicit(exchange: Exchange, questions: () => Questions): Elicit {
  const ask = async (params: JsonObject, options?: QuestionOptions): Promise<JsonObject> => {
    const request: InputRequest = { method: 'elicitation/create', params }
    requireQuestion(request, exchange, options)
    return questions().ask(request, options?.key)
  }

  const result: Elicit['result'] = async <T>(
    message: string,
    schema: FormSchema<T>,
    options?: QuestionOptions,
  ) => {
    const answer = await ask({ message, requestedSchema: elicitationSchema(schema) }, options)
    const { action, content } = answer
    if (action === 'decline' || action === 'cancel') return { action }
    if (action !== 'accept') {
      throw new QuestionError('invalid_answer', 'The client answered the question without a known action')
    }
    return { action, value: await validated(schema, content) }
  }

  const elicit = async <T>(message: string, schema: FormSchema<T>, options?: QuestionOptions): Promise<T> => {
    const answer = await result<T>(message, schema, options)
    if (answer.action !== 'accept') throw new Declined(answer.action, message)
    return answer.value
  }

  const hasIds = exchange.client.version === LATEST_LEGACY
  const url: Elicit['url'] = async (message, address, { elicitationId, ...options } = {}) => {
    const id = hasIds && elicitationId !== undefined && { elicitationId }
    const { action } = await ask({ mode: 'url', message, url: address, ...id }, options)
    if (action !== 'accept') throw new Declined(action === 'decline' ? 'decline' : 'cancel', message)
  }

  const complete: Elicit['complete'] = (elicitationId) => {
    if (hasIds) exchange.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } })
  }

  return Object.assign(elicit, { result, url, complete }) as Elicit
}

async function validated<T>(schema: FormSchema<T>, content: unknown): Promise<T> {
  const compiled = compileSchema(schema, { io: 'input', root: 'object' })
  const checked = await compiled.validate(isJsonObject(content) ? content : {})
  if (checked.ok) return checked.value as T
  throw new QuestionError('invalid_answer', describeIssues(checked.issues, 'answer'))
}

import type { InputRequest, InputRequests, InputResponses } from '../exchange/index.ts'
import { INVALID_PARAMS, type JsonObject, McpError, ProtocolError, isJsonObject } from '../jsonrpc/index.ts'
import {
  samplingProblem,
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitFormParams,
  type ElicitParams,
  type ElicitResult,
  type ElicitUrlParams,
  type Root,
  type JsonSchema,
} from '../protocol/index.ts'
import { applyDefaults, compileSchema, describeIssues } from '../schema/index.ts'

/** The request during which a question came up; absent when it came outside any. */
export interface AnswerContext {
  readonly signal: AbortSignal
  readonly request?: { readonly method: string; readonly params: JsonObject } | undefined
}

type Answer<Params, Result> = (params: Params, context: AnswerContext) => Result | Promise<Result>

/** How this client answers servers. What is absent is not declared, and declined when a server asks anyway. */
export interface AnswerHandlers {
  /** Asks the user. Either one function for forms and URLs, or a function for each kind that is supported. */
  elicit?:
    | Answer<ElicitParams, ElicitResult>
    | { form?: Answer<ElicitFormParams, ElicitResult>; url?: Answer<ElicitUrlParams, ElicitResult> }
    | undefined
  sample?: Answer<CreateMessageParams, CreateMessageResult> | undefined
  roots?:
    | readonly Root[]
    | ((context: AnswerContext) => readonly Root[] | Promise<readonly Root[]>)
    | undefined
}

/** Answers what servers ask, the same way in every era. */
export class Answers {
  readonly #handlers: AnswerHandlers

  constructor(handlers: AnswerHandlers) {
    this.#handlers = handlers
    if (Array.isArray(handlers.roots)) checkRoots(handlers.roots)
  }

  get capabilities(): ClientCapabilities {
    const { elicit, sample, roots } = this.#handlers
    const capabilities: ClientCapabilities = {}
    if (typeof elicit === 'function') capabilities.elicitation = { form: {}, url: {} }
    else if (elicit) {
      capabilities.elicitation = { ...(elicit.form && { form: {} }), ...(elicit.url && { url: {} }) }
    }
    if (sample) capabilities.sampling = {}
    if (roots) capabilities.roots = {}
    return capabilities
  }

  async ask(requests: InputRequests, context: AnswerContext): Promise<InputResponses> {
    const answered = Object.entries(requests).map(async ([key, request]) => {
      return [key, await this.#answer(request, context)] as const
    })
    return Object.fromEntries(await Promise.all(answered))
  }

  async #answer({ method, params = {} }: InputRequest, context: AnswerContext): Promise<JsonObject> {
    switch (method) {
      case 'elicitation/create':
        return params.mode === 'url'
          ? this.#openUrl(params as ElicitUrlParams, context)
          : this.#fillForm(params as ElicitFormParams, context)
      case 'sampling/createMessage':
        return this.#sample(params as CreateMessageParams, context)
      case 'roots/list':
        return this.#roots(context)
      default:
        throw unanswerable(method)
    }
  }

  async #fillForm(params: ElicitFormParams, context: AnswerContext): Promise<JsonObject> {
    const { elicit } = this.#handlers
    const handler = typeof elicit === 'function' ? elicit : elicit?.form
    if (!handler) return { action: 'decline' }
    return completeForm(params.requestedSchema, checkElicited(await handler(params, context)))
  }

  async #openUrl(params: ElicitUrlParams, context: AnswerContext): Promise<JsonObject> {
    const { elicit } = this.#handlers
    const handler = typeof elicit === 'function' ? elicit : elicit?.url
    return handler ? checkElicited(await handler(params, context)) : { action: 'decline' }
  }

  async #sample(params: CreateMessageParams, context: AnswerContext): Promise<JsonObject> {
    if (!this.#handlers.sample) throw unanswerable('sampling/createMessage')
    const problem = samplingProblem(params.messages)
    if (problem !== undefined) throw new ProtocolError(INVALID_PARAMS, `Invalid params: ${problem}`)
    return checkSampled(await this.#handlers.sample(params, context))
  }

  async #roots(context: AnswerContext): Promise<JsonObject> {
    const { roots } = this.#handlers
    if (!roots) throw unanswerable('roots/list')
    return { roots: checkRoots(typeof roots === 'function' ? await roots(context) : roots) }
  }
}

function unanswerable(method: string): McpError {
  return new McpError(
    'missing_capability',
    `The server asks for ${method}, which this client has no handler for`,
    { details: { method } },
  )
}

/** Checks the answer of a handler. Programs without types may return anything. */
export function checkElicited(result: ElicitResult): ElicitResult {
  const isAnswer = isJsonObject(result) && ['accept', 'decline', 'cancel'].includes(result.action as string)
  if (!isAnswer) throw notAnAnswer('elicit', "{ action: 'accept' | 'decline' | 'cancel' }")
  return result
}

export function checkSampled(result: CreateMessageResult): JsonObject {
  const { model, content } = (result ?? {}) as Partial<CreateMessageResult>
  const isMessage = typeof model === 'string' && typeof content === 'object' && content !== null
  if (!isMessage) throw notAnAnswer('sample', "{ role: 'assistant', model, content }")
  return { ...result }
}

export function checkRoots(roots: readonly Root[]): Root[] {
  const isList = Array.isArray(roots) && roots.every((root) => typeof root?.uri === 'string')
  if (!isList) throw notAnAnswer('roots', '[{ uri }]')
  requireFiles(roots)
  return [...roots]
}

/** The error for an answer of a handler that a server could only call invalid. */
function notAnAnswer(handler: string, expected: string): McpError {
  return new McpError('invalid_answer', `The "${handler}" handler must return ${expected}`, {
    details: { handler },
  })
}

/** The specification knows no other roots yet (MCP 2026-07-28, client/roots). */
function requireFiles(roots: readonly Root[]): void {
  const other = roots.find(({ uri }) => !/^file:\/\//i.test(uri))
  if (!other) return
  throw new McpError(
    'invalid_definition',
    `The root ${other.uri} is not a file:// URI; roots are files and folders`,
  )
}

/** Fills a form with the schema's defaults and checks it (client/elicitation; SEP-1034). */
export async function completeForm(
  schema: JsonSchema | undefined,
  answer: ElicitResult,
): Promise<JsonObject> {
  if (answer.action !== 'accept' || !isJsonObject(schema)) return { ...answer }
  const content = applyDefaults(schema, answer.content ?? {})
  const compiled = compileSchema(schema, { io: 'input', trust: 'foreign' })
  const checked = await compiled.validate(content)
  if (checked.ok) return { ...answer, content }
  throw new McpError(
    'invalid_answer',
    `The answer does not fit the form: ${describeIssues(checked.issues)}`,
    { details: { issues: checked.issues } },
  )
}

import { jsonReader } from '@gantry/mcp/exchange'
import { ApiError } from '../api-error.ts'
import { type ApiProblem, ROUTES, type RouteName, type StreamItem, type StreamName } from '../contract.ts'
import type { RouteEvent } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { type AnyRequest, dispatch, toApiError } from '../local-api.ts'

/** The other processes and machines of this gateway. */
export interface OtherGateways {
  readonly ids: readonly string[]
  /** For people. */
  nameOf(id: string): string
  /** What one of them answers, line by line. Throws when it is gone. */
  ask(id: string, question: string, signal: AbortSignal): AsyncIterable<string>
}

interface Question extends Omit<AnyRequest, 'signal'> {
  readonly name: RouteName
}

type Line = { readonly value: unknown } | { readonly error: ApiProblem }

/** Numbers stay as they were written. */
const readJson = jsonReader('source')

/** Answers what another gateway asks, as the admin API would. That gateway has already checked the person's access. */
export async function* answerOther(
  handlers: Handlers,
  toJson: (value: unknown) => string,
  question: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  try {
    const { name, ...asked } = readJson(question) as unknown as Question
    const answer = dispatch(handlers, name, { ...asked, signal })
    if (ROUTES[name].answers === undefined) yield toJson({ value: await answer })
    else for await (const value of answer as AsyncIterable<unknown>) yield toJson({ value })
  } catch (thrown) {
    yield toJson({ error: toApiError(thrown).problem })
  }
}

/** Asks the other gateways by the routes of the admin API. */
export class Asking {
  readonly #others: OtherGateways
  readonly #toJson: (value: unknown) => string
  /** Those that did not answer when all of them were asked last. */
  #unheard = new Set<string>()

  constructor(others: OtherGateways, toJson: (value: unknown) => string) {
    this.#others = others
    this.#toJson = toJson
  }

  get ids(): readonly string[] {
    return this.#others.ids
  }

  /** The values of an answer. Throws what the other one refused with. */
  async *lines(id: string, name: RouteName, request: AnyRequest): AsyncGenerator<unknown> {
    const { signal, ...asked } = request
    const { principal, auth, role } = asked.caller
    const question = { ...asked, name, caller: { principal, auth, role } }
    for await (const text of this.#others.ask(id, this.#toJson(question), signal)) {
      const line = readJson(text) as Line
      if ('error' in line) {
        const { code, message, fix, details } = line.error
        throw new ApiError(code, message, { fix, ...(details && { details }) })
      }
      yield line.value
    }
  }

  events<Name extends StreamName>(
    id: string,
    name: Name,
    request: AnyRequest,
  ): AsyncGenerator<StreamItem<RouteEvent<Name>>> {
    return this.lines(id, name, request) as AsyncGenerator<StreamItem<RouteEvent<Name>>>
  }

  async one(id: string, name: RouteName, request: AnyRequest): Promise<unknown> {
    for await (const value of this.lines(id, name, request)) return value
    throw new Error(`The gateway ${id} answers nothing`)
  }

  /** Names of gateways whose part is missing in what is shown. */
  get unheard(): readonly string[] {
    return this.ids.filter((id) => this.#unheard.has(id)).map((id) => this.#others.nameOf(id))
  }

  /** What all of them answer. Those that do not are `unheard`; something that changes must be done at all of them. */
  async all(name: RouteName, request: AnyRequest): Promise<unknown[]> {
    const { ids } = this
    const answers = await Promise.allSettled(ids.map((id) => this.one(id, name, request)))
    // Who asked does not wait any more, which says nothing of the others.
    if (request.signal.aborted) return []
    const isMissing = (answer: PromiseSettledResult<unknown>): boolean =>
      answer.status === 'rejected' && !isAbsent(answer.reason)
    this.#unheard = new Set(ids.filter((_, at) => isMissing(answers[at]!)))
    if (this.#unheard.size > 0 && ROUTES[name].method !== 'GET')
      throw this.#notHeard('It is not done everywhere', this.#unheard)
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  }

  /** What the one says that has it. Rejects with why that one refused, or with `absent` when none has it. */
  async first<T>(absent: unknown, ask: (id: string) => Promise<T>): Promise<T> {
    const { ids } = this
    return Promise.any(ids.map(ask)).catch(({ errors }: AggregateError) => {
      const silent = ids.filter((_, at) => !(errors[at] instanceof ApiError))
      const refusal = errors.find((error) => error instanceof ApiError && !isAbsent(error))
      throw refusal ?? (silent.length > 0 ? this.#notHeard('It was not found', silent) : absent)
    })
  }

  #notHeard(what: string, ids: Iterable<string>): ApiError {
    const names = [...ids].map((id) => this.#others.nameOf(id)).join(', ')
    return new ApiError('unavailable', `${what}: there is no answer from ${names}`, { fix: 'Try again.' })
  }
}

/** It is not there, or not any more. */
export function isAbsent(thrown: unknown): boolean {
  return thrown instanceof ApiError && ABSENT.has(thrown.problem.code)
}

const ABSENT: ReadonlySet<string> = new Set(['not_found', 'gone'])

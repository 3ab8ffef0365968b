import { failure } from '../exchange/exchange.ts'
import type { Exchange, Outcome } from '../exchange/index.ts'
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  ProtocolError,
  type JsonObject,
} from '../jsonrpc/index.ts'
import { isMethodInRevision } from '../protocol/index.ts'
import {
  exceptionPrinter,
  setting,
  type Configuration,
  type ExceptionContext,
  type InstrumentationData,
} from './configuration.ts'
import { QuestionError } from './questions/question-error.ts'
import { UnknownName } from './registry/tool-registry.ts'

/** Data of the requests under way: handlers' look-ups add to it. Concurrent requests have separate data. */
const running = new WeakMap<Exchange, InstrumentationData>()

export function isInstrumented(configuration: Configuration): boolean {
  return Boolean(setting(configuration, 'instrumentationCallback') ?? setting(configuration, 'aroundRequest'))
}

/** Runs a request inside `aroundRequest` and reports it to the callback when it ended. */
export async function instrument(
  exchange: Exchange,
  configuration: Configuration,
  run: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  // What the legacy edge asks on its own behalf is not a request of a client.
  if (!isMethodInRevision(exchange.method, exchange.client.version)) return run()
  const data: InstrumentationData = { method: exchange.method }
  const clientName = exchange.client.info?.name
  if (clientName !== undefined) data.clientName = clientName
  running.set(exchange, data)
  const started = performance.now()
  const around = setting(configuration, 'aroundRequest')
  try {
    const outcome = await (around ? around(data, async () => run()) : run())
    if (outcome.type === 'error') data.error ??= errorName(outcome.error.code)
    return outcome
  } finally {
    data.duration = (performance.now() - started) / 1000
    running.delete(exchange)
    safely(() => setting(configuration, 'instrumentationCallback')?.(data))
  }
}

function errorName(code: number): string {
  switch (code) {
    case INVALID_PARAMS:
      return 'invalid_params'
    case INVALID_REQUEST:
      return 'invalid_request'
    case METHOD_NOT_FOUND:
      return 'method_not_found'
    default:
      return 'internal_error'
  }
}

/** A callback of the author's that throws changes nothing. */
function safely(call: () => unknown): void {
  try {
    call()
  } catch {
    // The request goes on, and there is no second callback to tell about the first.
  }
}

/** Tells the author's callbacks what requests are about, and what handlers throw. */
export class Reporting {
  readonly #configuration: Configuration
  readonly #print = exceptionPrinter()

  constructor(configuration: Configuration) {
    this.#configuration = configuration
  }

  /** Facts about a request for the callback that is told of it. */
  note(exchange: Exchange, facts: JsonObject): void {
    const data = running.get(exchange)
    if (data) Object.assign(data, facts)
  }

  /** The outcome of a request whose handler threw. */
  failed(thrown: unknown, exchange: Exchange): Outcome {
    if (thrown instanceof UnknownName) this.note(exchange, { error: `${thrown.kind}_not_found` })
    if (thrown instanceof QuestionError) return failure(thrown.toProtocolError(exchange), thrown)
    if (!(thrown instanceof ProtocolError)) this.report(thrown, exchange, factsOf(exchange))
    return failure(ProtocolError.from(thrown), thrown)
  }

  report(thrown: unknown, exchange: Exchange, facts: Partial<ExceptionContext>): void {
    this.note(exchange, { error: 'internal_error' })
    this.tell(thrown, { ...facts, request: { method: exchange.method, params: exchange.params } })
  }

  tell(thrown: unknown, context: ExceptionContext): void {
    safely(() => (setting(this.#configuration, 'exceptionReporter') ?? this.#print)(thrown, context))
  }
}

/** What the request is about; the reporter of a tool call is told more. */
function factsOf({ method, params }: Exchange): Partial<ExceptionContext> {
  if (method === 'tools/call') return { toolName: String(params.name), arguments: params.arguments }
  if (method === 'prompts/get') return { promptName: String(params.name), arguments: params.arguments }
  return method === 'resources/read' ? { resourceUri: String(params.uri) } : {}
}

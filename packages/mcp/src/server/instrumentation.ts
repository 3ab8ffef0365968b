import { failure } from '../exchange/exchange.ts'
import type { Exchange, Outcome } from '../exchange/index.ts'
import type { FailedRequest } from '../exchange/server/answer.ts'
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonObject,
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

/** A request, by what is known of it. */
type Asked = FailedRequest

/** Data of the requests under way: handlers' look-ups add to it. Concurrent requests have separate data. */
const running = new WeakMap<Asked, InstrumentationData>()

export function isInstrumented(configuration: Configuration): boolean {
  return Boolean(setting(configuration, 'instrumentationCallback') ?? setting(configuration, 'aroundRequest'))
}

/** Runs a request inside `aroundRequest` and reports it to the callback when it ended. */
export async function instrument(
  exchange: Exchange,
  configuration: Configuration,
  run: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  // The legacy edge's own requests do not come from a client.
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

/**
 * A callback of the author's that throws, at once or later, changes nothing: there is no second one to tell about it.
 */
function safely(call: () => unknown): void {
  new Promise((resolve) => resolve(call())).catch(() => {})
}

/** Reports requests and errors of handlers to the author's callbacks. */
export class Reporting {
  readonly #configuration: Configuration
  readonly #print = exceptionPrinter()

  constructor(configuration: Configuration) {
    this.#configuration = configuration
  }

  /** Keeps facts about a request for the callback. */
  note(asked: Asked, facts: JsonObject): void {
    const data = running.get(asked)
    if (data) Object.assign(data, facts)
  }

  /** The outcome of a request whose handler threw. */
  failed(thrown: unknown, exchange: Exchange): Outcome {
    if (thrown instanceof UnknownName) this.note(exchange, { error: `${thrown.kind}_not_found` })
    if (thrown instanceof QuestionError) return failure(thrown.toProtocolError(exchange), thrown)
    // When the caller is gone, errors of the handler follow from that and are not reported.
    if (!(thrown instanceof ProtocolError) && !exchange.signal.aborted) this.report(thrown, exchange)
    return failure(ProtocolError.from(thrown), thrown)
  }

  /** Without `asked` the request is unknown. */
  readonly report = (thrown: unknown, asked: Asked = { method: 'unknown' }): void => {
    this.note(asked, { error: 'internal_error' })
    const { method, params = {} } = asked
    const context = { ...factsOf(asked), request: { method, params } }
    safely(() => (setting(this.#configuration, 'exceptionReporter') ?? this.#print)(thrown, context))
  }
}

/** The facts of a request. */
function factsOf({ method, params }: Asked): Partial<ExceptionContext> {
  if (!params) return {}
  const { name, uri, arguments: args } = params
  if (method === 'tools/call') return { toolName: String(name), arguments: args }
  if (method === 'prompts/get') return { promptName: String(name), arguments: args }
  if (method === 'resources/read') return { resourceUri: String(uri) }
  const ref = method === 'completion/complete' && isJsonObject(params.ref) ? params.ref : {}
  if (typeof ref.name === 'string') return { promptName: ref.name }
  return typeof ref.uri === 'string' ? { resourceUri: ref.uri } : {}
}

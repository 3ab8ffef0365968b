import type { Exchange, Outcome } from '../exchange/index.ts'
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from '../jsonrpc/index.ts'
import { isMethodInRevision } from '../protocol/index.ts'
import { setting, type Configuration, type InstrumentationData } from './configuration.ts'

/** Data of the requests under way: handlers' look-ups add to it. Concurrent requests have separate data. */
const running = new WeakMap<Exchange, InstrumentationData>()

export function instrumentationOf(exchange: Exchange): InstrumentationData | undefined {
  return running.get(exchange)
}

export function isInstrumented(configuration: Configuration): boolean {
  return Boolean(setting(configuration, 'instrumentationCallback') ?? setting(configuration, 'aroundRequest'))
}

/** Runs a request inside `aroundRequest` and reports it to the callback when it ended. */
export async function instrument(
  exchange: Exchange,
  configuration: Configuration,
  run: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  // What the legacy edge asks on its own behalf is no request of anybody.
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
    tell(configuration, data)
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

/** A callback that throws changes nothing for the client. */
function tell(configuration: Configuration, data: InstrumentationData): void {
  try {
    setting(configuration, 'instrumentationCallback')?.(data)
  } catch {
    // The request is answered already; there is nobody to tell.
  }
}

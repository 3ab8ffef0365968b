import type { Exchange } from '../exchange/index.ts'
import type { JsonObject } from '../jsonrpc/index.ts'
import type { CallEvent } from './call-events.ts'
import { CallResult } from './call-result.ts'
import type { ClientCore } from './client-core.ts'
import { resultOf } from './outcome-result.ts'
import type { RequestOptions } from './request-options.ts'
import { type StartedCall, toStartedCall } from './saved-call.ts'

/** The parts of a client that calls of tools need. */
type ToolCallsHost = Pick<ClientCore, 'requests' | 'directory' | 'options' | 'ask'>

const method = 'tools/call'

/** The ways to call a tool: to its end, event by event, or until it asks something. */
export class ToolCalls {
  readonly #host: ToolCallsHost

  constructor(host: ToolCallsHost) {
    this.#host = host
  }

  async call(
    params: JsonObject,
    options: RequestOptions,
    ask: Exchange['ask'] | 'handlers' = 'handlers',
  ): Promise<CallResult> {
    const result = resultOf(await this.#host.requests.run({ method, params, options, ask }), method)
    const checking = this.#checkOutput(params, result)
    if (checking) await checking
    return new CallResult(result)
  }

  async *stream(params: JsonObject, options: RequestOptions): AsyncGenerator<CallEvent, void, undefined> {
    // Loaded when it is wanted: most clients wait for results.
    const { callEvents } = await import('./call-events.ts')
    yield* callEvents({
      options,
      run: (own, ask) => this.call(params, own, ask),
      fallback: (requests, signal) => this.#host.ask(requests, signal, { method, params }),
    })
  }

  /** Returns the questions of the call instead of having them answered. */
  async start(params: JsonObject, options: RequestOptions): Promise<StartedCall> {
    const outcome = await this.#host.requests.run({ method, params, options, ask: undefined })
    const started = toStartedCall(outcome, params)
    if (started.type === 'complete') await this.#checkOutput(params, started.result.raw)
    return started
  }

  #checkOutput({ name }: JsonObject, result: JsonObject): void | Promise<void> {
    const { options, directory } = this.#host
    return options.validateOutput === false ? undefined : directory.checkOutput(String(name), result)
  }
}

export function toolParams(name: string, args: JsonObject | undefined): JsonObject {
  return args === undefined ? { name } : { name, arguments: args }
}

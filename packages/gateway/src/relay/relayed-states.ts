import {
  bindingOf,
  INVALID_PARAMS,
  isJsonObject,
  ProtocolError,
  type Exchange,
  type JsonObject,
  type Sealer,
} from '@gantry/mcp/exchange'
import type { Target } from '../targets/target.ts'
import { withParams } from './with-params.ts'

/** What a client brings back to go on with a call: the name of a call that is parked here, or the target's state. */
export type RelayedState = { token: string } | { state: string; server: string }

/** Seals every `requestState` for its caller, endpoint, target, method and params, until it expires. */
export class RelayedStates {
  readonly #sealer: Sealer
  readonly #endpoint: string
  readonly #ttl: number

  constructor(options: { sealer: Sealer; endpoint: string; ttl: number }) {
    this.#sealer = options.sealer
    this.#endpoint = options.endpoint
    this.#ttl = options.ttl
  }

  write(content: RelayedState, target: Target, exchange: Exchange): Promise<string> {
    const sealed = { ...content, expires: Date.now() + this.#ttl }
    return this.#sealer.seal(sealed, this.#bindingOf(target, exchange))
  }

  async read(text: unknown, target: Target, exchange: Exchange): Promise<RelayedState> {
    const opened =
      typeof text === 'string' ? await this.#sealer.open(text, this.#bindingOf(target, exchange)) : undefined
    const isTimely = isJsonObject(opened) && (opened.expires as number) >= Date.now()
    if (isTimely && isOfServer(opened as RelayedState, target, exchange)) return opened as RelayedState
    const message = 'Invalid requestState: it does not belong to this request, or it expired'
    throw new ProtocolError(INVALID_PARAMS, message)
  }

  #bindingOf({ name }: Target, { auth, method, params }: Exchange): string {
    return bindingOf('relayed state', auth?.principal, this.#endpoint, name, method, asked(params))
  }
}

/** Whether the server that made it gets it. A call that is parked here goes on where it began. */
function isOfServer(content: RelayedState, target: Target, exchange: Exchange): boolean {
  if ('token' in content) return true
  return content.server === target.serverOf(withParams(exchange, { requestState: content.state }))
}

/** The request without what differs from round to round. */
function asked({ _meta, inputResponses, requestState, ...params }: JsonObject): JsonObject {
  return { ...params, arguments: params.arguments ?? {} }
}

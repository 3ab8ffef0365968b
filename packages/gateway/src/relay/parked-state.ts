import {
  INVALID_PARAMS,
  isJsonObject,
  principalKey,
  ProtocolError,
  type Exchange,
  type JsonObject,
  type Sealer,
} from '@gantry/mcp/exchange'

const PREFIX = 'g1.'

/** A call of a legacy target that waits for its client to come back, or a state that only looks like one. */
interface Parked {
  target: string
  /** Names the parked call. */
  token?: string
  /** What the target wants back: it is a gateway like this one. */
  state?: string
  expires: number
}

/**
 * The `requestState` of parked calls: sealed, and bound to the principal and to the request that it belongs
 * to. States of modern targets are theirs and pass as they are.
 */
export class ParkedStates {
  readonly #sealer: Sealer
  readonly #ttl: number

  constructor(sealer: Sealer, ttl: number) {
    this.#sealer = sealer
    this.#ttl = ttl
  }

  /** Whether a target's own state would be taken for one of ours. */
  static isAlike(state: string): boolean {
    return state.startsWith(PREFIX)
  }

  async write(
    target: string,
    content: { token: string } | { state: string },
    exchange: Exchange,
  ): Promise<string> {
    const parked: Parked = { target, ...content, expires: Date.now() + this.#ttl }
    return PREFIX + (await this.#sealer.seal(parked, bindingOf(exchange)))
  }

  /** What is inside; undefined when the state is not one of ours. Throws when it was, and is no more. */
  async read(state: unknown, exchange: Exchange): Promise<Parked | undefined> {
    if (typeof state !== 'string' || !state.startsWith(PREFIX)) return undefined
    const opened = await this.#sealer.open(state.slice(PREFIX.length), bindingOf(exchange))
    if (!isJsonObject(opened) || (opened as unknown as Parked).expires < Date.now()) {
      throw new ProtocolError(
        INVALID_PARAMS,
        'Invalid requestState: it does not belong to this request, or it expired',
      )
    }
    return opened as unknown as Parked
  }
}

function bindingOf(exchange: Exchange): string {
  const { name, uri } = exchange.params
  const salient: JsonObject = { name: name ?? null, uri: uri ?? null }
  return JSON.stringify([principalKey(exchange.auth?.principal), exchange.method, salient])
}

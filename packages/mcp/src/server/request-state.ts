import type { Exchange, Sealer } from '../exchange/index.ts'
import { bindingOf } from '../exchange/seal.ts'
import {
  INVALID_PARAMS,
  isJsonObject,
  ProtocolError,
  type JsonObject,
  type NumberMode,
} from '../jsonrpc/index.ts'
import type { Store } from './store.ts'

export interface RoundState {
  /** Answers of earlier rounds, by key. */
  answers: Record<string, Answer>
  /** Questions of the last round: key → fingerprint. */
  asked: Record<string, string>
  /** Results of `ctx.step`, by name. */
  steps: Record<string, unknown>
  /** The author's own state, when the rounds are run by hand. */
  own?: unknown
  round: number
  /** What the handler did so far, when somebody watches that it does it again. */
  trace?: readonly string[]
}

export interface Answer {
  print: string
  response: JsonObject
}

interface SealedState extends RoundState {
  expires: number
}

/** Longer than this, the state stays with us and only a ticket travels. */
const SPILL_CHARACTERS = 16_384
const TICKET = 'ticket.'

/** Seals round state, bound to principal, method and arguments, and opens it again. */
export class RequestStates {
  readonly #sealer: Sealer
  readonly #store: Store
  readonly #ttlMs: number
  readonly #numbers: NumberMode | undefined

  constructor(sealer: Sealer, store: Store, ttlMs: number, numbers?: NumberMode) {
    this.#numbers = numbers
    this.#sealer = sealer
    this.#store = store
    this.#ttlMs = ttlMs
  }

  async write(state: RoundState, exchange: Exchange): Promise<string> {
    const sealed: SealedState = { ...state, expires: Date.now() + this.#ttlMs }
    const text = await this.#sealer.seal(sealed, bindingOfCall(exchange))
    if (text.length <= SPILL_CHARACTERS) return text
    const ticket = `${TICKET}${crypto.randomUUID()}`
    await this.#store.set(ticket, text, this.#ttlMs)
    return ticket
  }

  /** Throws −32602 for a state that is not ours, not for this caller and request, or too old. */
  async read(exchange: Exchange): Promise<RoundState | undefined> {
    const text = exchange.params.requestState
    if (text === undefined) return undefined
    if (typeof text !== 'string') throw rejected('it is not a string')
    const sealed = text.startsWith(TICKET) ? await this.#store.get(text) : text
    const state = sealed && (await this.#sealer.open(sealed, bindingOfCall(exchange), this.#numbers))
    if (!isJsonObject(state)) throw rejected('it does not belong to this request')
    if ((state as unknown as SealedState).expires < Date.now()) throw rejected('it has expired')
    return state as unknown as SealedState
  }
}

function rejected(why: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Invalid requestState: ${why}`)
}

/** The principal, the method and its salient parameters (2026-07-28, MRTR server requirements). */
function bindingOfCall({ auth, method, params }: Exchange): string {
  const { name, uri, arguments: args } = params
  return bindingOf('request state', auth?.principal, method, name ?? uri ?? null, args ?? {})
}

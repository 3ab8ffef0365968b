import { type Duration, parseDuration } from '../../protocol/parse-duration.ts'
import type { Exchange } from '../../exchange/index.ts'
import { bindingOf, Sealer } from '../../protocol/encoding.ts'
import {
  findUnwritable,
  INVALID_PARAMS,
  isJsonObject,
  McpError,
  ProtocolError,
  type JsonObject,
  type NumberMode,
} from '../../jsonrpc/index.ts'
import type { Store } from '../store.ts'

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
  /** Given while the user may be on a page: until when. 0 when nothing was answered yet. */
  visitUntil?: number
  /** The handler's actions so far, when a watcher checks that it repeats them. */
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

export interface RequestStateOptions {
  readonly secret?: string | Uint8Array | readonly (string | Uint8Array)[]
  readonly requestStateTtl?: Duration | undefined
  readonly numbers?: NumberMode
}

/** Seals round state, bound to principal, method and arguments, and opens it again. */
export class RequestStates {
  readonly #sealer: Sealer
  readonly #store: Store
  readonly #ttlMs: number
  readonly #numbers: NumberMode | undefined

  constructor(options: RequestStateOptions, store: Store) {
    this.#numbers = options.numbers
    this.#sealer = new Sealer([options.secret ?? []].flat())
    this.#store = store
    this.#ttlMs = parseDuration(options.requestStateTtl ?? '10m')
  }

  async write(state: RoundState, exchange: Exchange): Promise<string> {
    this.#requireJson(state)
    const sealed: SealedState = { ...state, expires: Date.now() + this.#ttlMs }
    const text = await this.#sealer.seal(sealed, bindingOfCall(exchange))
    if (text.length <= SPILL_CHARACTERS) return text
    const ticket = `${TICKET}${crypto.randomUUID()}`
    await this.#store.set(ticket, text, this.#ttlMs)
    return ticket
  }

  /** Refuses values that JSON would change or leave out: they would differ in the next round. */
  #requireJson({ steps, own }: RoundState): void {
    const exact = this.#numbers === 'exact'
    const found = findUnwritable(steps, 'ctx.step', exact) ?? findUnwritable(own, 'ctx.roundState', exact)
    if (!found) return
    const { path, problem, cause } = found
    throw new McpError('invalid_output', `The next round cannot have ${path}: it ${problem}`, {
      cause,
      details: { path },
    })
  }

  /** Throws −32602 for a state that is not ours, not for this caller and request, or too old. */
  async read(exchange: Exchange): Promise<RoundState | undefined> {
    const text = exchange.params.requestState
    if (text === undefined) return undefined
    if (typeof text !== 'string' || text.length > SPILL_CHARACTERS) throw rejected('it is not one of ours')
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

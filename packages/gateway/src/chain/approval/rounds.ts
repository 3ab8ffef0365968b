import { randomBytes } from 'node:crypto'
import { INVALID_PARAMS, isJsonObject, ProtocolError, type JsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import type { Rows, Store } from '../../store/index.ts'

/** How far a call has come that asks its caller something in between. */
export interface Round {
  /** The call that it belongs to. */
  readonly call: string
  readonly confirmed: boolean
  readonly approved: boolean
  /** What the target wants back; undefined when it has not been asked yet. */
  readonly inner?: string | undefined
}

const PREFIX = 'gantry-round:'
const KEPT_FOR = 15 * 60 * 1000
const LONGEST = 100

/** Remembers between two rounds of a call what was confirmed and approved. Each round can be taken once. */
export class Rounds {
  readonly #rows: Rows

  constructor(store: Store) {
    this.#rows = store.rows({ name: 'call-rounds', secret: true })
  }

  /** Returns the `requestState` with which the caller goes on. */
  async keep(round: Round): Promise<string> {
    const id = randomBytes(18).toString('base64url')
    await this.#rows.put(id, JSON.stringify(round), { ttl: KEPT_FOR })
    return `${PREFIX}${id}`
  }

  /** The round that a request goes on from. Undefined when it begins here, or goes on from a target's own state. */
  async take({ requestState }: JsonObject, call: string): Promise<Round | undefined> {
    if (typeof requestState !== 'string' || !requestState.startsWith(PREFIX)) return undefined
    const key = requestState.slice(PREFIX.length)
    const row = key === '' || key.length > LONGEST ? undefined : await this.#rows.take(key)
    const round = row && (parseJson(row.value) as unknown as Round)
    if (round?.call === call) return round
    throw new ProtocolError(
      INVALID_PARAMS,
      'Invalid requestState: it does not belong to this request, it was used before, or it expired',
    )
  }
}

/** The params as the next link gets them: without what was between the caller and the gateway. */
export function paramsBehind(params: JsonObject, round: Round | undefined, key: string): JsonObject {
  const { requestState, inputResponses, ...rest } = params
  if (!round) {
    const own = isJsonObject(inputResponses) && key in inputResponses
    return own ? { ...rest, ...(requestState !== undefined && { requestState }) } : params
  }
  if (round.inner === undefined) return rest
  return { ...rest, requestState: round.inner, ...(inputResponses !== undefined && { inputResponses }) }
}

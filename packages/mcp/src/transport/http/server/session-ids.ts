import type { LegacySessionFacts, Sealer, Served } from '../../../exchange/index.ts'
import { bindingOf } from '../../../protocol/encoding.ts'
import { negotiateLegacy } from '../../../exchange/server/answer.ts'
import { isJsonObject, type JsonObject, type JsonRpcRequest } from '../../../jsonrpc/index.ts'
import type { Principal } from '../../../protocol/index.ts'

interface SealedFacts extends LegacySessionFacts {
  expires: number
  /** A random part, so that two sessions of one client have different ids. */
  nonce: string
}

const ONE_WEEK = 7 * 24 * 3_600_000
const MAX_ENDED = 10_000
const MAX_ID_LENGTH = 4_096
const LONGEST_MARK = 100
/** Two headers of one name are joined by a comma and a space. */
const ID = /^[\w-]+(?:~[\w-]+)*$/

export interface SessionIdsOptions {
  readonly served: Served
  readonly sealer: Sealer | undefined
  readonly place: string | undefined
  readonly mark?: ((id: string) => string) | undefined
}

/** Session ids that carry their session, sealed and bound; without a sealer they are random. */
export class SessionIds {
  readonly #sealer: Sealer | undefined
  readonly #served: Served
  readonly #place: string | undefined
  readonly #mark: SessionIdsOptions['mark']
  /** Sessions that their clients ended, whatever mark their ids had: such a session must not be brought back. */
  readonly #ended = new Set<string>()

  /** `place`: the endpoint, when several endpoints share a sealer. */
  constructor({ served, sealer, place, mark }: SessionIdsOptions) {
    this.#served = served
    this.#place = place
    this.#sealer = sealer
    this.#mark = mark
  }

  mint(initialize: JsonRpcRequest, principal: Principal | undefined): string | Promise<string> {
    if (!this.#sealer) return randomId(this.#mark)
    const { protocolVersion, capabilities, clientInfo } = initialize.params ?? {}
    const version = negotiateLegacy(this.#served, String(protocolVersion))
    // A request that will be refused gets a random id, which is never sent.
    if (!version || !isJsonObject(capabilities)) return crypto.randomUUID()
    const info = isJsonObject(clientInfo) ? identity(clientInfo) : undefined
    return this.#seal({ version, capabilities, info }, principal)
  }

  async #seal(facts: LegacySessionFacts, principal: Principal | undefined): Promise<string> {
    const sealed = await this.#sealer!.seal(
      { ...facts, expires: Date.now() + ONE_WEEK, nonce: crypto.randomUUID() } satisfies SealedFacts,
      this.#bindingOf(principal),
    )
    // The length of headers is limited: a client with very long capabilities gets a random id.
    if (sealed.length > MAX_ID_LENGTH) return randomId(this.#mark)
    return this.#mark ? this.#mark(sealed) : sealed
  }

  /** The session that an id stands for, when this process does not know it; undefined for a foreign id. */
  async recover(id: string, principal: Principal | undefined): Promise<LegacySessionFacts | undefined> {
    if (!this.#sealer || id.length > MAX_ID_LENGTH + LONGEST_MARK || !ID.test(id)) return undefined
    const facts = await this.#sealer.open(withoutMark(id), this.#bindingOf(principal))
    if (!isJsonObject(facts) || (facts as unknown as SealedFacts).expires < Date.now()) return undefined
    return facts as unknown as SealedFacts
  }

  #bindingOf(principal: Principal | undefined): string {
    return bindingOf('session', principal, this.#place ?? null)
  }

  isEnded(id: string): boolean {
    return this.#ended.has(withoutMark(id))
  }

  end(id: string): void {
    if (!this.#sealer) return
    if (this.#ended.size >= MAX_ENDED) this.#ended.delete(this.#ended.values().next().value as string)
    this.#ended.add(withoutMark(id))
  }
}

function withoutMark(id: string): string {
  return id.split('~', 1)[0]!
}

export function randomId(mark: SessionIdsOptions['mark']): string {
  const id = crypto.randomUUID()
  return mark ? mark(id) : id
}

/** Icons and other decoration would only make the id longer. */
function identity(info: JsonObject): JsonObject {
  return { name: info.name, version: info.version }
}

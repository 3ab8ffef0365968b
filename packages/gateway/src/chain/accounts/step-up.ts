import { principalKey, type AuthInfo } from '@gantry/mcp/exchange'
import { accountScope, type SignInModel } from '../../model/index.ts'

const MOST_ASKED = 10_000
/** A client that signs in again is back with the scope by then, or its person has given up. */
const ASK_AGAIN = 10 * 60_000

/**
 * Clients that have signed in with us can be sent there once more: the answer 403 `insufficient_scope` makes them ask
 * for a scope, and our consent page connects the account. Many clients only refresh their token then. One that comes
 * back without the scope is not sent again, and is told in another way.
 */
export class StepUps {
  readonly #signIn: SignInModel | undefined
  readonly #asked = new Map<string, number>()

  constructor(signIn: SignInModel | undefined) {
    this.#signIn = signIn
  }

  /** All scopes to ask for; undefined when this client has to be told in another way. */
  scopesFor({ principal, clientId, claims, scopes }: AuthInfo, target: string): string[] | undefined {
    const scope = accountScope(target)
    const isOurs = this.#signIn !== undefined && claims.iss === this.#signIn.ownIssuer
    // Assertions are redeemed without a person and a page (`gty`), so there is nobody to send.
    if (!isOurs || claims.gty !== undefined || scopes.includes(scope)) return undefined
    const key = JSON.stringify([principalKey(principal), clientId, target])
    if ((this.#asked.get(key) ?? 0) > Date.now() - ASK_AGAIN) return undefined
    this.#asked.delete(key)
    this.#asked.set(key, Date.now())
    if (this.#asked.size > MOST_ASKED) this.#asked.delete(this.#asked.keys().next().value!)
    return [...scopes, scope]
  }
}

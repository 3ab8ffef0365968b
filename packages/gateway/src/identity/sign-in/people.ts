import type { JsonObject } from '@gantry/mcp/exchange'
import { digest } from '../secret-texts.ts'
import type { Rows, Store } from '../../store/index.ts'
import type { Person } from './upstream.ts'

/** Claims of our own tokens. The identity provider's values for them are left out. */
const OWN = new Set([
  ...[
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'nbf',
    'jti',
    'scope',
    'scp',
    'client_id',
    'azp',
    'cid',
    'cnf',
    'sid',
  ],
  ...['nonce', 'at_hash', 'c_hash', 's_hash', 'auth_time', 'act', 'may_act', 'gty'],
])
/** Tokens travel in a header, and servers bound those. */
const MAX_CLAIMS = 6_000

/**
 * People who have logged in, with what their identity provider said about them. Their account is the subject behind a
 * mark of the identity provider: another provider's person of the same subject is another account.
 */
export class People {
  readonly #rows: Rows
  readonly #mark: string
  readonly #ttl: number

  constructor(store: Store, issuer: string, ttl: number) {
    this.#rows = store.rows({
      name: 'sign-in-people',
      secret: true,
      maxRows: 100_000,
      maxValueBytes: 64 * 1024,
    })
    this.#mark = `${digest(issuer).slice(0, 16)}:`
    this.#ttl = ttl
  }

  /** Remembers a person. Returns the account, and the names of claims that do not fit into a token. */
  async keep({ subject, claims }: Person): Promise<{ account: string; tooLong: string[] }> {
    const account = this.accountOf(subject)
    const { kept, tooLong } = fittingClaims(claims)
    await this.#rows.put(digest(account), JSON.stringify(kept), { ttl: this.#ttl })
    return { account, tooLong }
  }

  accountOf(subject: string): string {
    return this.#mark + subject
  }

  /** Undefined when this account has no recent login. */
  async claimsOf(account: string): Promise<JsonObject | undefined> {
    if (!account.startsWith(this.#mark)) return undefined
    const row = await this.#rows.get(digest(account)).catch((error: { code?: string }) => {
      if (error.code === 'unreadable') return undefined
      throw error
    })
    return row && (JSON.parse(row.value) as JsonObject)
  }

  /** The subject at the identity provider; undefined for people of another identity provider. */
  subjectOf(account: string): string | undefined {
    return account.startsWith(this.#mark) ? account.slice(this.#mark.length) : undefined
  }
}

/** The claims for a token, and the names of claims that do not fit. */
export function fittingClaims(claims: JsonObject): { kept: JsonObject; tooLong: string[] } {
  const kept: JsonObject = {}
  const tooLong: string[] = []
  let length = 0
  for (const [name, value] of Object.entries(claims)) {
    if (OWN.has(name)) continue
    const size = name.length + JSON.stringify(value).length
    if (length + size > MAX_CLAIMS) tooLong.push(name)
    else {
      kept[name] = value
      length += size
    }
  }
  return { kept, tooLong }
}

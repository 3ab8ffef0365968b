import { createHash } from 'node:crypto'
import { parseJson } from '@gantry/mcp/foreign'
import type { SignInModel } from '../../model/index.ts'
import { withLease, type Lease, type Rows, type Store } from '../../store/index.ts'
import type { LoggedIn, LoginProof, Upstream } from './upstream.ts'

export interface IdTokensOptions {
  readonly store: Store
  readonly upstream: Pick<Upstream, 'renew'>
  readonly model: Pick<SignInModel, 'issuer' | 'lifetime'>
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

/** A token that ends sooner is renewed first: it still has to reach its reader. */
const SPARE = 60_000

/**
 * The ID tokens that people got at their login. Targets get their own tokens for them. They are renewed with the
 * refresh token of the login, in one process at a time.
 */
export class IdTokens {
  readonly #options: IdTokensOptions
  readonly #rows: Rows

  constructor(options: IdTokensOptions) {
    this.#options = options
    const limits = { maxRows: 100_000, maxValueBytes: 64 * 1024 }
    this.#rows = options.store.rows({ name: 'sign-in-id-tokens', secret: true, ...limits })
  }

  async keep({ subject, proof }: Pick<LoggedIn, 'subject' | 'proof'>, lease?: Lease): Promise<void> {
    const isRenewable = proof.refreshToken !== undefined
    const ttl = isRenewable ? this.#options.model.lifetime : Math.max(proof.expiresAt - Date.now(), 1)
    await this.#rows.put(this.#key(subject), JSON.stringify(proof), { ttl, lease })
  }

  /** Undefined when the person has to log in again. */
  async of(subject: string): Promise<string | undefined> {
    const known = await this.#read(subject)
    if (!known || isFresh(known)) return known?.idToken
    if (known.refreshToken === undefined) return undefined
    return withLease(this.#options.store, `sign-in id-token ${this.#key(subject)}`, async (lease) => {
      const newest = await this.#read(subject)
      if (!newest || isFresh(newest)) return newest?.idToken
      return this.#renew(subject, newest, lease)
    })
  }

  async #renew(subject: string, { refreshToken }: LoginProof, lease: Lease): Promise<string | undefined> {
    const { upstream, log } = this.#options
    try {
      const proof = refreshToken === undefined ? undefined : await upstream.renew(subject, refreshToken)
      if (proof) await this.keep({ subject, proof }, lease)
      return proof?.idToken
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      log('warn', 'An ID token was not renewed, so its person has to sign in again', {
        reason,
        event: 'id-token-not-renewed',
      })
      return undefined
    }
  }

  /** Another identity provider's person of the same subject is another person. */
  #key(subject: string): string {
    const { issuer } = this.#options.model
    return createHash('sha256')
      .update(JSON.stringify([issuer, subject]))
      .digest('base64url')
  }

  async #read(subject: string): Promise<LoginProof | undefined> {
    const row = await this.#rows.get(this.#key(subject)).catch((error: { code?: string }) => {
      if (error.code === 'unreadable') return undefined
      throw error
    })
    return row && (parseJson(row.value) as unknown as LoginProof)
  }
}

function isFresh({ expiresAt }: LoginProof): boolean {
  return expiresAt - SPARE > Date.now()
}

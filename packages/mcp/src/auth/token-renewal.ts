import { oauthError, quote } from './http/oauth-error.ts'
import type { OAuthOptions } from './oauth-options.ts'
import type { OnStep } from './http/oauth-step.ts'
import type { Findings, ResourceSession } from './resource-session.ts'
import { includesAll, unionScopes } from './discovery/scopes.ts'
import type { TokenKeeper } from './tokens/token-keeper.ts'
import type { IsHeld } from './tokens/token-storage.ts'
import { isExpired, isExpiring, type TokenSet } from './tokens/token-set.ts'
import type { OAuthChallenge } from './discovery/www-authenticate.ts'

const NO_CHALLENGE: OAuthChallenge = { schemes: [] }

/** Decides how to get new tokens. A refresh ignores the signal: it may have spent the refresh token. */
export class TokenRenewal {
  readonly #keeper: TokenKeeper
  readonly #session: ResourceSession
  readonly #refusals: RefusalCounter
  readonly #step: OnStep
  /** Whether new tokens cost a user's attention. */
  readonly needsUser: boolean
  readonly #mayAskUser: boolean

  constructor(keeper: TokenKeeper, session: ResourceSession, step: OnStep, options: OAuthOptions) {
    this.#keeper = keeper
    this.#session = session
    this.#step = step
    this.#refusals = new RefusalCounter(options.maxAttempts ?? 3)
    this.needsUser = (options.grant ?? 'authorization_code') === 'authorization_code'
    this.#mayAskUser = options.askUser !== 'on-sign-in'
  }

  /**
   * A full authorization that was asked for. If another authorization ended while this one waited for its turn, its
   * result is used.
   */
  async signIn(signal: AbortSignal): Promise<void> {
    const asked = Date.now()
    await this.#keeper.authorizing(async () => {
      const tokens = await this.#stored(signal)
      if (tokens?.via === 'grant' && tokens.obtainedAt >= asked) return
      const session = this.#session.until(signal)
      const findings = await session.discover(NO_CHALLENGE, tokens)
      await this.#keep(await session.acquire(findings, NO_CHALLENGE, tokens))
    }, signal)
  }

  /** Before the expiry; the user is never disturbed here. */
  async early(signal: AbortSignal, isHeld: IsHeld): Promise<TokenSet | undefined> {
    const session = this.#session.until(signal)
    const tokens = await this.#keeper.reload()
    if (tokens === undefined || !isExpiring(tokens)) return tokens
    if (tokens.refreshToken !== undefined) {
      const renewed = await this.#session.refresh(tokens, isHeld)
      // Spent: what is left of the access token can still be used, and the scopes are remembered.
      await this.#keeper.save(renewed ?? { ...tokens, refreshToken: undefined })
      if (renewed !== undefined || this.needsUser) return this.#keeper.current
    }
    if (this.needsUser) return tokens
    await this.#keeper.save(await session.reacquire(tokens))
    return this.#keeper.current
  }

  /** After a 401: a newer token of another caller, else a refresh, else a full authorization. */
  async replace(sent: string | undefined, challenge: OAuthChallenge, signal: AbortSignal): Promise<void> {
    const session = this.#session.until(signal)
    const findings = await this.#keeper.locked(
      (isHeld) => this.#withoutUser(session, sent, challenge, isHeld),
      signal,
    )
    if (findings === undefined) return
    this.#requireUser(findings.server.issuer)
    await this.#keeper.authorizing(async () => {
      const tokens = await this.#stored(signal)
      if (this.#isNewer(tokens, sent)) return
      await this.#keep(await session.acquire(findings, challenge, tokens))
    }, signal)
  }

  /** Undefined when there are new tokens; what was found out about the server when only a user can help. */
  async #withoutUser(
    session: ResourceSession,
    sent: string | undefined,
    challenge: OAuthChallenge,
    isHeld: IsHeld,
  ): Promise<Findings | undefined> {
    const tokens = await this.#keeper.reload()
    if (this.#isNewer(tokens, sent)) return undefined
    const refused = tokens !== undefined && tokens.accessToken === sent
    const refusedFresh = refused && this.#refusals.count(tokens, session.serverUrl)
    const findings = await session.discover(challenge, tokens)
    // A refresh token goes only to its issuer; a fresh token that was refused is not refreshed again.
    const mayRefresh =
      tokens?.refreshToken !== undefined &&
      tokens.issuer === findings.server.issuer &&
      !(refusedFresh && tokens.via === 'refresh')
    const renewed = mayRefresh ? await this.#session.refresh(tokens, isHeld) : undefined
    if (renewed === undefined && this.needsUser) return findings
    await this.#keeper.save(renewed ?? (await session.acquire(findings, challenge, tokens)))
    return undefined
  }

  #isNewer(tokens: TokenSet | undefined, sent: string | undefined): boolean {
    if (tokens === undefined || tokens.accessToken === sent || isExpired(tokens)) return false
    this.#step({ step: 'adopted', outcome: 'ok', info: { issuer: tokens.issuer } })
    return true
  }

  /** Throws where requests do not send users anywhere. */
  #requireUser(issuer: string): void {
    if (this.#mayAskUser) return
    throw oauthError('login_required', 'a user must sign in', { url: issuer, fix: 'Call signIn().' })
  }

  #stored(signal: AbortSignal): Promise<TokenSet | undefined> {
    return this.#keeper.locked(() => this.#keeper.reload(), signal)
  }

  /** Whatever happened meanwhile: these tokens are there now. */
  #keep(tokens: TokenSet): Promise<void> {
    return this.#keeper.locked(() => this.#keeper.save(tokens))
  }

  /** After 403 `insufficient_scope`: a full authorization with more scopes, when that can change anything. */
  async stepUp(sent: string | undefined, challenge: OAuthChallenge, signal: AbortSignal): Promise<void> {
    await this.#keeper.authorizing(() => this.#moreScopes(sent, challenge, signal), signal)
  }

  async #moreScopes(sent: string | undefined, challenge: OAuthChallenge, signal: AbortSignal): Promise<void> {
    const session = this.#session.until(signal)
    const tokens = await this.#stored(signal)
    const required = challenge.scope ?? []
    const granted = tokens?.grantedScopes
    const isGranted = granted !== undefined && includesAll(granted, required)
    if (tokens !== undefined && tokens.accessToken !== sent && isGranted) return
    const asked = unionScopes(tokens?.requestedScopes, granted)
    if (isGranted || (includesAll(asked, required) && !this.#refusals.mayAskAgain(required))) {
      throw oauthError('insufficient_scope', 'the server wants more than the scopes that we asked for', {
        url: session.serverUrl,
        expected:
          required.length > 0 ? `scopes ${quote(required.join(' '))}` : 'scopes that it does not name',
        found: `a token for ${quote((granted ?? asked).join(' '))}`,
        fix: 'Asking again would change nothing: the user needs another role, or the server names the wrong scopes.',
      })
    }
    if (this.needsUser) this.#requireUser(tokens?.issuer ?? session.serverUrl.origin)
    this.#refusals.countStepUp(session.serverUrl)
    this.#step({ step: 'step-up', outcome: 'ok', info: { required, before: asked } })
    const findings = await session.discover(challenge, tokens)
    await this.#keep(await session.acquire(findings, challenge, tokens))
  }
}

/** A token that is refused so soon after it was issued was most likely never accepted. */
const FRESH_MS = 10_000
const ASK_AGAIN_MS = 600_000
/** A server that invents new scopes for every refusal must not fill the screen with sign-in pages. */
const MAX_STEP_UPS = 5
const STEP_UPS_WITHIN_MS = 60_000

/** Bounds the attempts ("Step-Up Authorization Flow"). The age of a refused token stands for success. */
class RefusalCounter {
  readonly #max: number
  readonly #asked = new Map<string, number>()
  #inARow = 0
  #stepUps: number[] = []

  constructor(max: number) {
    this.#max = max
  }

  /** Counts a refused token. True when it was fresh; throws when too many in a row were. */
  count(tokens: TokenSet, serverUrl: URL): boolean {
    const fresh = Date.now() - tokens.obtainedAt < FRESH_MS && !isExpiring(tokens)
    this.#inARow = fresh ? this.#inARow + 1 : 0
    if (this.#inARow < this.#max) return fresh
    throw oauthError(
      'too_many_attempts',
      'the server refuses every token that its authorization server issues',
      {
        url: serverUrl,
        found: `${this.#inARow} new tokens in a row refused with 401`,
        fix:
          'The two servers do not agree: compare the audience (resource), issuer and signing keys that the MCP ' +
          'server expects with what the authorization server issues.',
      },
    )
  }

  /** Counts a step-up; throws when there are too many in a short time. */
  countStepUp(serverUrl: URL): void {
    const now = Date.now()
    this.#stepUps = [...this.#stepUps.filter((time) => now - time < STEP_UPS_WITHIN_MS), now]
    if (this.#stepUps.length <= MAX_STEP_UPS) return
    throw oauthError('too_many_attempts', 'the server wants other scopes again and again', {
      url: serverUrl,
      found: `more than ${MAX_STEP_UPS} step-ups within a minute`,
      fix: 'Name all scopes that are needed in the scopes option, to ask for them at once.',
    })
  }

  /** Whether scopes that were asked for already, without success, may be asked for once more. */
  mayAskAgain(scopes: readonly string[]): boolean {
    const now = Date.now()
    for (const [key, time] of this.#asked) if (now - time > ASK_AGAIN_MS) this.#asked.delete(key)
    const key = [...scopes].sort().join(' ')
    if (this.#asked.has(key)) return false
    this.#asked.set(key, now)
    return true
  }
}

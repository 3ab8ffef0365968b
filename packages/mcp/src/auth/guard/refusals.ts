import type { Refusal } from './bearer-options.ts'
import type { BearerSettings } from './bearer-settings.ts'
import type { GuardCall, GuardRefusal } from './guard-types.ts'
import { type RejectionCode, TokenRejected } from './token-rejected.ts'

/** Clients that retry at once would only find the same failure. */
const RETRY_AFTER_SECONDS = '5'

/** The answers to refused requests (RFC 6750, section 3; RFC 9449, section 7.1). */
export class Refusals {
  readonly #settings: BearerSettings
  readonly #metadataUrl: string
  readonly #onRefused: ((refusal: Refusal) => void) | undefined

  constructor(
    settings: BearerSettings,
    metadataUrl: string,
    onRefused: ((refusal: Refusal) => void) | undefined,
  ) {
    this.#settings = settings
    this.#metadataUrl = metadataUrl
    this.#onRefused = onRefused
  }

  /** The caller sent no credential: the answer names no error, only what is needed. */
  forStranger(): GuardRefusal {
    const { scopes } = this.#settings
    return {
      ok: false,
      status: 401,
      headers: this.#headers({ scopes }),
      body: bodyOf('unauthorized', 'An access token is needed'),
    }
  }

  /** All scopes of the operation at once, so that one authorization is enough (2026-07-28, "Scope Challenge"). */
  forScopes(scopes: readonly string[]): { status: number; headers: Record<string, string> } {
    const needed = [...new Set([...this.#settings.scopes, ...scopes])]
    const description = 'The token lacks scopes that this operation needs'
    return {
      status: 403,
      headers: this.#headers({ error: 'insufficient_scope', description, scopes: needed }),
    }
  }

  async forError(error: unknown, call: GuardCall): Promise<GuardRefusal> {
    if (!(error instanceof TokenRejected)) return this.#unavailable(error, call)
    const { code, message } = error
    const status = statusOf(code)
    this.#tell(call, status, code, message)
    const headers = this.#headers({ error: code, description: message, scopes: this.#settings.scopes })
    if (code === 'use_dpop_nonce') headers['dpop-nonce'] = await this.#settings.nonces!.current()
    return { ok: false, status, headers, body: bodyOf(code, message) }
  }

  /** Not the caller's fault: a 401 would make it throw a good token away. */
  #unavailable(error: unknown, call: GuardCall): GuardRefusal {
    this.#tell(call, 503, 'unavailable', error instanceof Error ? error.message : String(error))
    return {
      ok: false,
      status: 503,
      headers: { 'retry-after': RETRY_AFTER_SECONDS },
      body: bodyOf('temporarily_unavailable', 'Tokens cannot be checked at the moment'),
    }
  }

  #headers(problem: Problem): Record<string, string> {
    const { dpopMode, dpopAlgorithms } = this.#settings
    const facts = { metadataUrl: this.#metadataUrl, dpop: dpopMode, dpopAlgorithms }
    return { 'www-authenticate': writeChallenge(facts, problem) }
  }

  /** A hook that throws must not decide who gets in. */
  #tell(call: GuardCall, status: number, error: string, reason: string): void {
    const path = call.url.split('?', 1)[0]!
    try {
      this.#onRefused?.({ status, error, reason, method: call.method, path })
    } catch {
      // There is no other place to report it.
    }
  }
}

function statusOf(code: RejectionCode): number {
  switch (code) {
    case 'invalid_request':
      return 400
    case 'insufficient_scope':
      return 403
    default:
      return 401
  }
}

function bodyOf(error: string, description: string): string {
  return JSON.stringify({ error, error_description: description })
}

interface ChallengeFacts {
  readonly metadataUrl: string
  readonly dpop: 'off' | 'allowed' | 'required'
  readonly dpopAlgorithms: readonly string[]
}

interface Problem {
  /** Absent when no credentials were sent: then there is nothing wrong with them (RFC 6750, section 3.1). */
  readonly error?: RejectionCode | undefined
  readonly description?: string | undefined
  readonly scopes: readonly string[]
}

/** The value of `WWW-Authenticate`. Bearer comes first because many clients read only the beginning. */
function writeChallenge(facts: ChallengeFacts, problem: Problem): string {
  const isAboutProof = problem.error === 'invalid_dpop_proof' || problem.error === 'use_dpop_nonce'
  const challenges: string[] = []
  if (facts.dpop !== 'required') {
    challenges.push(`Bearer ${parameters(facts, isAboutProof ? { scopes: problem.scopes } : problem)}`)
  }
  if (facts.dpop !== 'off') {
    const algorithms = `algs="${facts.dpopAlgorithms.join(' ')}"`
    challenges.push(`DPoP ${parameters(facts, problem)}, ${algorithms}`)
  }
  return challenges.join(', ')
}

function parameters(facts: ChallengeFacts, { error, description, scopes }: Problem): string {
  return [
    ...(error === undefined ? [] : [quoted('error', error)]),
    ...(description === undefined ? [] : [quoted('error_description', description)]),
    ...(scopes.length === 0 ? [] : [quoted('scope', scopes.join(' '))]),
    quoted('resource_metadata', facts.metadataUrl),
  ].join(', ')
}

/** RFC 6750 allows neither quotes nor backslashes in these values, so there is nothing to escape. */
function quoted(name: string, value: string): string {
  return `${name}="${value.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'")}"`
}

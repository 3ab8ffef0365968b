import type { RejectionCode } from './token-rejected.ts'

export interface ChallengeFacts {
  readonly metadataUrl: string
  readonly dpop: 'off' | 'allowed' | 'required'
  readonly dpopAlgorithms: readonly string[]
}

export interface Problem {
  /** Absent when no credentials were sent: then there is nothing wrong with them (RFC 6750, section 3.1). */
  readonly error?: RejectionCode | undefined
  readonly description?: string | undefined
  readonly scopes: readonly string[]
}

/**
 * The value of `WWW-Authenticate`: where the metadata is, which scopes are needed and what was wrong. Bearer
 * comes first because many clients read only the beginning.
 */
export function writeChallenge(facts: ChallengeFacts, problem: Problem): string {
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

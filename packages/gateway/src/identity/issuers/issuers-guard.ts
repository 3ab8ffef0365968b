import type { BearerGuard } from '@gantry/mcp/guard'
import { parseJson } from '@gantry/mcp/foreign'
import type { Guard, HttpHead } from '@gantry/mcp/server'

export interface IssuerGuard {
  readonly issuer: string
  readonly guard: BearerGuard
  /** Whether it can tell what tokens are worth that are not JWTs. */
  readonly takesOpaque: boolean
}

/**
 * One guard for several issuers, each with settings of its own. A token goes to the guard of the issuer that it
 * names, and to no other; all guards publish the same metadata.
 */
export function issuersGuard(issuers: readonly [IssuerGuard, ...IssuerGuard[]]): BearerGuard {
  const [first] = issuers
  const guards = new Map(issuers.map(({ issuer, guard }) => [issuer, guard]))
  const opaque = issuers.find(({ takesOpaque }) => takesOpaque)?.guard ?? first.guard
  const guard: Guard = (head) => {
    const issuer = issuerIn(head)
    return (issuer === undefined ? opaque : (guards.get(issuer) ?? first.guard))(head)
  }
  const { protectedResource, metadata, metadataPath } = first.guard
  return Object.assign(guard as BearerGuard, { protectedResource, metadata, metadataPath })
}

/** Whom the token says it is of. Nothing is believed: the guard of that issuer verifies it. */
function issuerIn({ headers }: HttpHead): string | undefined {
  const payload = /^(?:bearer|dpop) +[\w-]+\.([\w-]+)\.[\w-]+ *$/i.exec(headers.authorization ?? '')?.[1]
  if (payload === undefined) return undefined
  try {
    const { iss } = Object(parseJson(Buffer.from(payload, 'base64url').toString('utf8'))) as { iss?: unknown }
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}

import { createHash, timingSafeEqual } from 'node:crypto'
import type { Guard, HttpHead } from '@gantry/mcp/server'
import { keyPrincipal, type ApiKeyModel } from '../model/index.ts'
import { pathOf, type OnRefused } from './log-refusals.ts'

/** Lets holders of a configured key in: `Authorization: Bearer KEY` or `X-API-Key: KEY`. Fails closed. */
export function apiKeyGuard(keys: readonly ApiKeyModel[], onRefused: OnRefused, next?: Guard): Guard {
  const hashed = keys.map(({ name, sha256, scopes }) => ({
    hash: Buffer.from(sha256, 'hex'),
    auth: Object.freeze({ principal: keyPrincipal(name), scopes, claims: {} }),
  }))
  return (head) => {
    const presented = keyOf(head)
    const digest = presented === undefined ? undefined : createHash('sha256').update(presented).digest()
    // Every key is compared in constant time, so that timing tells nothing about which one is close.
    const found =
      digest && hashed.filter(({ hash }) => hash.length === digest.length && timingSafeEqual(hash, digest))
    const match = found?.[0]
    if (match) return { ok: true, auth: match.auth }
    if (next) return next(head)
    if (presented !== undefined)
      onRefused({ status: 401, reason: 'nobody has this key', path: pathOf(head.url) })
    return { ok: false, status: 401, headers: { 'www-authenticate': 'Bearer realm="gantry"' } }
  }
}

function keyOf(head: HttpHead): string | undefined {
  const header = head.headers['x-api-key']
  // An empty key is no key, whatever was configured.
  if (header !== undefined) return header.trim() === '' ? undefined : header
  return /^Bearer +(\S.*)$/i.exec(head.headers.authorization ?? '')?.[1]
}

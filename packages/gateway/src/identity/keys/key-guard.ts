import { createHash, timingSafeEqual } from 'node:crypto'
import type { Guard, GuardVerdict, HttpHead } from '@gantry/mcp/server'
import { decodePercent, keyPrincipal, type ApiKeyModel } from '../../model/index.ts'
import { pathOf, type OnRefused } from '../refusal.ts'
import type { KeptKey, KeptKeys } from './kept-keys.ts'

export interface KeyGuardOptions {
  /** The keys in the configuration. */
  readonly configured: readonly ApiKeyModel[]
  /** The keys in the store; undefined when they are not accepted. */
  readonly kept: KeptKeys | undefined
  readonly onRefused: OnRefused
  /** Asked about everything that is no key. */
  readonly next?: Guard | undefined
}

/** Many clients show the body to their users. */
export function refusedKey(presented: string | undefined): GuardVerdict {
  return {
    ok: false,
    status: 401,
    headers: { 'www-authenticate': 'Bearer realm="gantry"', 'content-type': 'text/plain' },
    body:
      presented === undefined
        ? 'This gateway wants a key: send the header "Authorization: Bearer KEY" or "X-API-Key: KEY".\n'
        : 'This key is not accepted here.\n',
  }
}

/** Lets holders of a key in: `Authorization: Bearer KEY` or `X-API-Key: KEY`. Fails closed. */
export function keyGuard(options: KeyGuardOptions): Guard {
  const { configured, kept, onRefused, next } = options
  const hashed = configured.map(({ name, sha256, scopes }) => ({
    hash: Buffer.from(sha256, 'hex'),
    auth: Object.freeze({ principal: keyPrincipal(name), scopes, claims: {} }),
  }))
  return (head) => {
    const presented = keyOf(head)
    const digest = presented === undefined ? undefined : createHash('sha256').update(presented).digest()
    // Every key is compared in constant time, so that timing does not show which key is close to the guess.
    const found =
      digest && hashed.filter(({ hash }) => hash.length === digest.length && timingSafeEqual(hash, digest))
    const match = found?.[0]
    if (match) return { ok: true, auth: match.auth }
    const refuse = (): GuardVerdict | Promise<GuardVerdict> => {
      if (next) return next(head)
      if (presented !== undefined)
        onRefused({ status: 401, reason: 'nobody has this key', path: pathOf(head.url) })
      return refusedKey(presented)
    }
    if (!kept || presented === undefined) return refuse()
    return admitKept(kept, presented, head, options).then((verdict) => verdict ?? refuse())
  }
}

async function admitKept(
  kept: KeptKeys,
  presented: string,
  { url }: HttpHead,
  { configured, onRefused }: KeyGuardOptions,
): Promise<GuardVerdict | undefined> {
  let key: KeptKey | undefined
  try {
    key = await kept.find(presented)
  } catch (error) {
    const reason = `keys cannot be read: ${error instanceof Error ? error.message : String(error)}`
    onRefused({ status: 503, reason, path: pathOf(url) })
    return { ok: false, status: 503, headers: { 'retry-after': '5' } }
  }
  if (!key) return undefined
  // Two keys with the same name would count as the same caller.
  if (configured.some(({ name }) => name === key.name)) {
    onRefused({ status: 401, reason: `the configuration has a key "${key.name}" too`, path: pathOf(url) })
    return refusedKey(presented)
  }
  if (!mayUse(key, pathOf(url))) {
    onRefused({ status: 403, reason: `the key "${key.name}" is for other endpoints`, path: pathOf(url) })
    const headers = { 'content-type': 'text/plain' }
    return { ok: false, status: 403, headers, body: 'This key is for other endpoints.\n' }
  }
  const { name, scopes, expiresAt } = key
  const auth = {
    principal: keyPrincipal(name),
    scopes,
    claims: {},
    ...(expiresAt !== undefined && { expiresAt }),
  }
  return { ok: true, auth }
}

/** A key for some views opens their endpoints only, and not the common endpoint or the console. */
function mayUse({ views }: KeptKey, path: string): boolean {
  if (views.length === 0) return true
  return path.startsWith('/mcp/') && views.includes(decodePercent(path.slice('/mcp/'.length)))
}

function keyOf(head: HttpHead): string | undefined {
  const header = head.headers['x-api-key']
  // An empty key is no key, whatever was configured.
  if (header !== undefined) return header.trim() === '' ? undefined : header
  return /^Bearer +(\S.*)$/i.exec(head.headers.authorization ?? '')?.[1]
}

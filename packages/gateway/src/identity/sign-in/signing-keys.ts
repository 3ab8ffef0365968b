import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'
import type { Store } from '../../store/index.ts'

/** Signs tokens and cookies. Processes that share the store share it. */
export interface SigningKeys {
  readonly jwk: JWK
  readonly cookieKeys: readonly string[]
}

const KEY = 'keys'

/**
 * The kept keys, or new keys when there are none. Of two gateways that start at once, the second takes the keys of the
 * first.
 */
export async function loadSigningKeys(store: Store): Promise<SigningKeys> {
  const rows = store.rows({ name: 'sign-in-keys', secret: true })
  const kept = await rows.get(KEY).catch((error: { code?: string }) => {
    if (error.code !== 'unreadable') throw error
    return undefined
  })
  if (kept) return JSON.parse(kept.value) as SigningKeys
  const made = await makeKeys()
  if ((await rows.swap(KEY, undefined, JSON.stringify(made))) !== undefined) return made
  const other = await rows.get(KEY).catch(() => undefined)
  if (other) return JSON.parse(other.value) as SigningKeys
  // No key opens what is there: everything that it signed is lost with it.
  await rows.put(KEY, JSON.stringify(made))
  return made
}

async function makeKeys(): Promise<SigningKeys> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = randomBytes(8).toString('hex')
  return {
    jwk: { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' },
    cookieKeys: [randomBytes(32).toString('base64url')],
  }
}

export function publicPart({ d: _, ...jwk }: JWK): JWK {
  return jwk
}

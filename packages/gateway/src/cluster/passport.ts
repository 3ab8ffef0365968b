import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Exchange, Principal } from '@gantry/mcp/exchange'
import { isJsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'

export const PASSPORT = 'x-gantry-hop'

/** Long enough for clocks that differ a little, short enough that a stolen one is soon worthless. */
const VALID_FOR = 60_000

/** Whose request it is that another gateway passes on, and how it is to be sent. */
export interface Passport {
  readonly target: string
  /** The gateway that it is for: another one at the same address may have taken its place. */
  readonly to: string
  /** It is a request of the other gateway itself. */
  readonly own?: boolean | undefined
  readonly principal?: Principal | undefined
  readonly session?: string | undefined
  readonly older?: boolean | undefined
  readonly asTask?: Exchange['asTask']
}

/** Signs and reads passports. Gateways that share their sealing keys trust each other. */
export class Passports {
  /** The first signs, all are accepted. */
  readonly #keys: readonly Uint8Array[]

  constructor(secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => new Uint8Array(hkdfSync('sha256', secret, '', 'gantry hop', 32)))
  }

  sign(passport: Passport): string {
    const body = Buffer.from(JSON.stringify({ ...passport, until: Date.now() + VALID_FOR })).toString(
      'base64url',
    )
    return `${body}.${mac(this.#keys[0]!, body).toString('base64url')}`
  }

  /** Undefined unless it is one for this target that is still valid. */
  read(text: string | undefined, target: string): Passport | undefined {
    const [body, signature] = text?.split('.') ?? []
    if (body === undefined || signature === undefined) return undefined
    const given = Buffer.from(signature, 'base64url')
    const isSigned = this.#keys.some((key) => {
      const wanted = mac(key, body)
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    })
    if (!isSigned) return undefined
    const read = parseJson(Buffer.from(body, 'base64url').toString())
    if (!isJsonObject(read) || read.target !== target || (read.until as number) < Date.now()) return undefined
    return read as unknown as Passport
  }
}

function mac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Exchange, Principal } from '@gantry/mcp/exchange'
import { isJsonObject } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import type { Certified } from '../model/index.ts'

export const PASSPORT = 'x-gantry-hop'

/** Long enough for clocks that differ a little, short enough that a stolen passport is soon worthless. */
const VALID_FOR = 60_000

/** The caller of a request that another gateway passes on, and how the request is to be sent. */
export interface Passport {
  readonly target: string
  /** The gateway that the passport is for: another gateway at the same address may have taken its place. */
  readonly to: string
  /** It is about something that must be there: a call that waits for its caller, a task, or a session. */
  readonly begun?: boolean | undefined
  /** It is a request of the other gateway itself. */
  readonly own?: boolean | undefined
  readonly principal?: Principal | undefined
  readonly session?: string | undefined
  /** Whom the client certificate of a request of a session names. */
  readonly certified?: Certified | undefined
  readonly older?: boolean | undefined
  /** It may be sent twice. */
  readonly safe?: boolean | undefined
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

  /** A short signature of a text that clients carry. */
  stamp(text: string): string {
    return stampBy(this.#keys[0]!, text).toString('base64url')
  }

  isStamp(stamp: string, text: string): boolean {
    const given = Buffer.from(stamp, 'base64url')
    return this.#keys.some((key) => isSame(given, stampBy(key, text)))
  }

  /** Undefined unless it is a valid passport for this target. */
  read(text: string | undefined, target: string): Passport | undefined {
    const [body, signature] = text?.split('.') ?? []
    if (body === undefined || signature === undefined) return undefined
    const given = Buffer.from(signature, 'base64url')
    if (!this.#keys.some((key) => isSame(given, mac(key, body)))) return undefined
    const read = parseJson(Buffer.from(body, 'base64url').toString())
    if (!isJsonObject(read) || read.target !== target || (read.until as number) < Date.now()) return undefined
    return read as unknown as Passport
  }
}

const STAMP_BYTES = 16

/** No passport begins like this, so a stamp never counts as a passport. */
function stampBy(key: Uint8Array, text: string): Buffer {
  return mac(key, `stamp ${text}`).subarray(0, STAMP_BYTES)
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function mac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The hash of a secret, which recognises it. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** Takes the same time wherever the texts differ. */
export function isSameSecret(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The value of a cookie; empty when the browser did not send it. */
export function cookieOf({ headers }: IncomingMessage, name: string): string {
  const found = (headers.cookie ?? '').split('; ').find((one) => one.startsWith(`${name}=`))
  return found?.slice(name.length + 1) ?? ''
}

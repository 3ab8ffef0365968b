import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs and checks messages as Standard Webhooks has it: https://www.standardwebhooks.com. */

export interface Signed {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: string
  readonly signature: string
}

const TOLERANCE = 5 * 60
const PREFIX = 'whsec_'

export function sign(body: string, secret: string, id: string, now: number = Date.now()): Signed {
  const timestamp = String(Math.floor(now / 1000))
  return { id, timestamp, signature: `v1,${macOf(body, secret, id, timestamp)}` }
}

/** Whether one of the signatures is right and the message is not old. */
export function isSigned(body: string, secret: string, signed: Signed, now: number = Date.now()): boolean {
  const { id, timestamp, signature } = signed
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > TOLERANCE) return false
  const wanted = Buffer.from(macOf(body, secret, id, timestamp))
  return signature.split(' ').some((one) => {
    const given = Buffer.from(one.startsWith('v1,') ? one.slice('v1,'.length) : '')
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  })
}

function macOf(body: string, secret: string, id: string, timestamp: string): string {
  const key = secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : secret
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
}

import { principalKey, type Principal } from '../protocol/index.ts'
import type { AuthInfo, Exchange } from './exchange.ts'

/** Guards hand out the same principal again and again. */
const keys = new WeakMap<Principal, string>()

/** What is known of who sends a request before its body is read. */
export interface Sender {
  readonly auth?: AuthInfo | undefined
  /** The network address that it comes from. */
  readonly peer?: string | undefined
}

/** Under which name a sender is counted: its principal, else its address. */
export function senderKey({ auth, peer }: Sender): string {
  return auth ? keyOf(auth.principal) : `address ${peer ?? ''}`
}

function keyOf(principal: Principal): string {
  let key = keys.get(principal)
  if (key === undefined) {
    key = `principal ${principalKey(principal)}`
    keys.set(principal, key)
  }
  return key
}

/** The name under which a caller is counted: principal, else session, else address and client name. */
export function callerKey(exchange: Exchange): string {
  const { auth, session, client } = exchange
  if (auth) return senderKey(exchange)
  if (session !== undefined) return `session ${session}`
  return `${senderKey(exchange)} ${client.info?.name ?? ''}`
}

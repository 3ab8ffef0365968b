/** Who a caller is. Principals are equal when all three fields are; no field is parsed from another. */
export interface Principal {
  /** A key that we gave out, a person who signed in, or a program that has an identity of its own. */
  readonly kind: 'key' | 'person' | 'workload'
  /** Who vouches for the subject: the issuer of its tokens. Subjects of two issuers are two principals. */
  readonly issuer?: string | undefined
  readonly subject: string
}

export function samePrincipal(a: Principal | undefined, b: Principal | undefined): boolean {
  if (a === b) return true
  return a?.kind === b?.kind && a?.issuer === b?.issuer && a?.subject === b?.subject
}

/** A text that no other principal has: for keys of maps and for what is sealed. */
export function principalKey(principal: Principal | undefined): string {
  if (!principal) return '[]'
  const { kind, issuer, subject } = principal
  return JSON.stringify([kind, issuer ?? null, subject])
}

/** The same for people to read: `key:ops`, `person:ann (https://auth.example.com)`. Never compare it. */
export function describePrincipal({ kind, issuer, subject }: Principal): string {
  return issuer === undefined ? `${kind}:${subject}` : `${kind}:${subject} (${issuer})`
}

/** Guards hand out the same principal again and again. */
const keys = new WeakMap<Principal, string>()

/** What is known of who sends a request before its body is read. */
export interface Sender {
  readonly auth?: { readonly principal: Principal } | undefined
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

/** What is known of it afterwards. */
interface Caller extends Sender {
  readonly session?: string | undefined
  readonly client: { readonly info?: { readonly name: string } | undefined }
}

/** The name under which a caller is counted: principal, else session, else address and client name. */
export function callerKey(caller: Caller): string {
  const { auth, session, client } = caller
  if (auth) return senderKey(caller)
  if (session !== undefined) return `session ${session}`
  return `${senderKey(caller)} ${client.info?.name ?? ''}`
}

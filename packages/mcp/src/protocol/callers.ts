/** The identity of a caller. Principals are equal when all three fields are; no field is parsed from another. */
export interface Principal {
  /** A key that we gave out, a person who signed in, or a program that has an identity of its own. */
  readonly kind: 'key' | 'person' | 'workload'
  /** The issuer of the subject's tokens. The same subject of two issuers is two principals. */
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

/** The facts about the sender of a request before its body is read. */
export interface Sender {
  readonly auth?: { readonly principal: Principal } | undefined
  /** The network address that it comes from. */
  readonly peer?: string | undefined
}

/** The name under which a sender is counted: its principal, else its address. */
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

/** The facts about the sender after its body is read. */
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

/** How much of something callers may hold at a time: each of them, and all together. */
export interface BudgetLimits {
  readonly perCaller: number
  readonly total: number
}

/** Which of the two limits leaves no room. */
export type BudgetLimit = keyof BudgetLimits

/** Counts what callers hold, so that no caller can take the room of all others. */
export class Budget {
  #limits: BudgetLimits
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(limits: BudgetLimits) {
    this.#limits = limits
  }

  /** The bytes that all callers hold together. */
  get held(): number {
    return this.#total
  }

  /** How many callers hold something. */
  get callers(): number {
    return this.#held.size
  }

  /** Amounts that are held stay held. */
  resize(limits: BudgetLimits): void {
    this.#limits = limits
  }

  heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0
  }

  /** Which limit would be passed; undefined when there is room. */
  lacks(caller: string, amount: number): BudgetLimit | undefined {
    if (this.heldBy(caller) + amount > this.#limits.perCaller) return 'perCaller'
    return this.#total + amount > this.#limits.total ? 'total' : undefined
  }

  /**
   * The same for one thing that cannot be divided: the first of a caller may be more than its share, and the only one
   * of all more than the total.
   */
  lacksForWhole(caller: string, amount: number): BudgetLimit | undefined {
    const lacking = this.lacks(caller, amount)
    if (lacking === undefined || (lacking === 'perCaller' && this.heldBy(caller) > 0)) return lacking
    return this.#total > 0 && this.#total + amount > this.#limits.total ? 'total' : undefined
  }

  /** Counts the amount as held. Returns the limit that has no room for it, and counts nothing then. */
  take(caller: string, amount: number): BudgetLimit | undefined {
    const lacking = this.lacks(caller, amount)
    if (lacking === undefined) this.add(caller, amount)
    return lacking
  }

  /** Counts the amount as held, whether or not there is room. */
  add(caller: string, amount: number): void {
    this.#held.set(caller, this.heldBy(caller) + amount)
    this.#total += amount
  }

  give(caller: string, amount: number): void {
    const left = this.heldBy(caller) - amount
    this.#total -= amount
    if (left > 0) this.#held.set(caller, left)
    else this.#held.delete(caller)
  }
}

/** Something that can be in one `OpenSet`; the set keeps its place there. */
export interface OpenMember {
  place: number
}

/** A set for members that come and go with calls. A `Set` would keep ended calls alive (see `CallTable`). */
export class OpenSet<Member extends OpenMember> {
  readonly #members: Member[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: Member): void {
    if (this.#members[member.place] === member) return
    member.place = this.#members.length
    this.#members.push(member)
  }

  delete(member: Member): boolean {
    const { place } = member
    if (this.#members[place] !== member) return false
    const last = this.#members.pop() as Member
    if (last !== member) {
      this.#members[place] = last
      last.place = place
    }
    return true
  }

  all(): Member[] {
    return [...this.#members]
  }
}

/** Texts of a server that we keep and send back to it. */
type Kept = 'requestState' | 'cursor' | 'taskId' | 'elicitationId'

/** The longest that each may be, in characters. */
const GIVEN: { readonly [member in Kept]: number } = {
  /** Longer texts cost time and memory when they are sealed, for every caller. */
  requestState: 256 * 1024,
  cursor: 64 * 1024,
  /** Task ids travel in a header, and sealing makes them longer. */
  taskId: 4096,
  elicitationId: 4096,
}

/** Whether a text of a server is among those that we keep and send back. */
export function isKept(member: Kept, value: unknown): value is string {
  return typeof value === 'string' && value.length <= GIVEN[member]
}

/**
 * The longest text that a client may send back, or have us repeat, in characters. What a server gave us has grown by
 * sealing. A progress token is repeated in every message about progress.
 */
const SENT_BACK = [
  ['requestState', 2 * 256 * 1024],
  ['cursor', 64 * 1024],
  ['taskId', 2 * 4096],
  ['progressToken', 1024],
] as const

/** Says which text of a client is too long; undefined when no text is too long. */
export function tooLongIn(params: Readonly<Record<string, unknown>>): string | undefined {
  for (const [member, most] of SENT_BACK) {
    const holder = member === 'progressToken' ? (params._meta as typeof params | null | undefined) : params
    const value = holder?.[member]
    if (typeof value === 'string' && value.length > most)
      return `"${member}" is longer than ${most} characters`
  }
  return undefined
}

import { parseJson } from '@gantry/mcp/foreign'
import { writeJson } from '@gantry/mcp/exchange'
import type { Log } from '../../telemetry/log.ts'
import { allRows, type Row, type Rows, type Store } from '../../store/index.ts'
import { callOf, type Approval, type ApprovalNeed } from './approval.ts'
import { isOwnCall, needsFor, type Approver } from './approvers.ts'

export interface ApprovalsOptions {
  readonly store: Store
  readonly log: Log
  /** A mark of the policy that holds at an endpoint now; undefined when there is no such endpoint. */
  readonly policyOf: (view: string) => string | undefined
}

export interface Decided {
  readonly approved: boolean
  readonly reason?: string | undefined
}

/** Why a decision does not count. */
export type NotDecided = 'gone' | 'own' | 'not-approver' | 'decided' | 'policy'

/** Calls of one caller that wait at the same time; more would bury the approvers. */
const MOST_WAITING = 20
const CHANNEL = 'approvals'
/** Messages between processes can be missed. */
const LOOK_AGAIN = 2_000

/**
 * Calls that wait for approval. They are kept in the store, so any process that shares it can show, decide and make
 * them, and a restart loses none. An approval is used up by being taken, which one taker can.
 */
export class Approvals {
  /** Where people decide. */
  address = ''
  /** Told of every change, in this process or another. */
  readonly observers: Set<(id: string) => void> = new Set()
  /** Told of a call that begins to wait, in this process. */
  onAsked: ((approval: Approval) => void) | undefined
  readonly #rows: Rows
  readonly #options: ApprovalsOptions
  #isListening = false
  #end: Promise<(() => void) | undefined> | undefined

  constructor(options: ApprovalsOptions) {
    this.#options = options
    this.#rows = options.store.rows({ name: 'approvals', secret: true })
  }

  async get(id: string): Promise<Approval | undefined> {
    return (await this.#find(id))?.approval
  }

  async #find(id: string): Promise<Found | undefined> {
    const row = await this.#rows.get(callOf(id))
    const approval = read(row)
    return row && approval?.id === id ? { row, approval } : undefined
  }

  /**
   * The approval of this call. It begins to wait unless it waits already. Undefined when its caller has too many.
   * `request` names the asking request in the log.
   */
  async ask(
    asked: Approval,
    request: { readonly exchange?: number | undefined; readonly trace?: string | undefined } = {},
  ): Promise<Approval | undefined> {
    const call = callOf(asked.id)
    for (;;) {
      const before = read(await this.#rows.get(call))
      if (before) return before
      const own = await this.#rows.list({ prefix: prefixOf(asked.id), limit: MOST_WAITING })
      if (own.length >= MOST_WAITING) return undefined
      const ttl = asked.expiresAt - Date.now()
      if ((await this.#rows.swap(call, undefined, writeJson(asked), { ttl })) === undefined) continue
      this.#options.log('info', 'A call waits for approval', { ...aboutOf(asked), ...request })
      this.onAsked?.(asked)
      this.#changed(asked.id)
      return asked
    }
  }

  /** Hands an approved call to the first who asks; undefined for all others, and for what is not approved. */
  async take(id: string): Promise<Approval | undefined> {
    const found = await this.#find(id)
    if (found?.approval.state !== 'approved' || this.isVoid(found.approval)) return undefined
    return (await this.#finish(found)) ? found.approval : undefined
  }

  /** Gives back what was taken for a call that was then not made, unless an equal call waits by now. */
  async giveBack(approval: Approval): Promise<void> {
    const call = callOf(approval.id)
    for (;;) {
      const row = await this.#rows.get(call)
      const ttl = approval.expiresAt - Date.now()
      if (read(row) || ttl <= 0) return
      // What was taken ends by itself, perhaps in between.
      if ((await this.#rows.swap(call, row?.version, writeJson(approval), { ttl })) !== undefined) break
    }
    this.#changed(approval.id)
  }

  /** The caller does not want it any more. */
  async withdraw(id: string): Promise<void> {
    const found = await this.#find(id)
    if (found) await this.#finish(found)
  }

  /** False when it has changed meanwhile. A row can only be removed whatever it holds, so it is left to expire. */
  async #finish({ row, approval }: Found): Promise<boolean> {
    const over = writeJson({ ...approval, expiresAt: 0 })
    if ((await this.#rows.swap(row.key, row.version, over, { ttl: 1 })) === undefined) return false
    this.#changed(approval.id)
    return true
  }

  /** What waits or was decided, and has not been used yet; the oldest first. What another policy wanted is void. */
  async list(): Promise<Approval[]> {
    const approvals: Approval[] = []
    for await (const row of allRows(this.#rows)) {
      const approval = read(row)
      if (approval) approvals.push(approval)
    }
    return approvals.filter((one) => !this.isVoid(one)).toSorted((a, b) => a.askedAt - b.askedAt)
  }

  /** Whether the policy has changed since. */
  isVoid({ view, policy }: Approval): boolean {
    return this.#options.policyOf(view) !== policy
  }

  async decide(id: string, decided: Decided, approver: Approver): Promise<Approval | NotDecided> {
    for (;;) {
      const found = await this.#find(id)
      if (!found) return 'gone'
      const { row, approval } = found
      if (this.isVoid(approval)) return 'policy'
      if (isOwnCall(approval, approver)) return 'own'
      if (approval.state !== 'pending') return 'decided'
      const own = needsFor(approval, approver)
      if (own.length === 0) return 'not-approver'
      const next = decide(approval, own, decided, approver)
      const ttl = Math.max(1, next.expiresAt - Date.now())
      if ((await this.#rows.swap(row.key, row.version, writeJson(next), { ttl })) === undefined) continue
      const verb = decided.approved ? 'approved' : 'denied'
      this.#options.log('info', `A call was ${verb}`, { ...aboutOf(next), by: approver.name })
      this.#changed(id)
      return next
    }
  }

  /** Resolves when something may have happened to the approval, or the signal is aborted. */
  async change(id: string, signal: AbortSignal): Promise<void> {
    this.#listen()
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.observers.delete(seen)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const seen = (changed: string): void => {
        if (changed === id) end()
      }
      const timer = setTimeout(end, LOOK_AGAIN)
      this.observers.add(seen)
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
    })
  }

  /** Hears what other processes do, from now on. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    const missed = (): void => {}
    this.#end = this.#options.store
      .subscribe(CHANNEL, { message: (id) => this.#tell(id), missed })
      // Without it what others do is seen a little later.
      .catch(() => undefined)
  }

  #changed(id: string): void {
    this.#tell(id)
    this.#options.store.publish(CHANNEL, id).catch(() => {})
  }

  #tell(id: string): void {
    for (const observer of [...this.observers]) observer(id)
  }

  /** Calls back on changes, also of other processes. Returns what ends it. */
  observe(observer: (id: string) => void): () => void {
    this.#listen()
    this.observers.add(observer)
    return () => this.observers.delete(observer)
  }

  async close(): Promise<void> {
    ;(await this.#end)?.()
  }
}

function decide(
  approval: Approval,
  own: readonly ApprovalNeed[],
  { approved, reason }: Decided,
  { name }: Approver,
): Approval {
  const now = Date.now()
  const decision = { approved, by: name, reason, at: now }
  const needs = approval.needs.map((need) => (own.includes(need) ? { ...need, decision } : need))
  if (!approved) return { ...approval, needs, state: 'denied' }
  if (needs.some((need) => need.decision === undefined)) return { ...approval, needs }
  return { ...approval, needs, state: 'approved', expiresAt: now + approval.within }
}

interface Found {
  readonly row: Row
  readonly approval: Approval
}

/** Rows end by themselves; one that should have ended is not there. */
function read(row: Row | undefined): Approval | undefined {
  const approval = row && (parseJson(row.value) as unknown as Approval)
  return approval && approval.expiresAt > Date.now() ? approval : undefined
}

/** The part of an id that all calls of one caller share. */
function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('-') + 1)
}

function aboutOf({ id, target, name, needs }: Approval): Record<string, unknown> {
  return { approval: id, target, name, rule: needs.map(({ rule }) => rule).join(', ') }
}

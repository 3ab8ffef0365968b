import { cutText } from '@gantry/mcp/foreign'
import { writeJson } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { TargetConnection } from '../targets/connected/target-connection.ts'
import { isSharedKey } from '../targets/connection/pool.ts'
import { callerReason } from '../targets/caller-text.ts'
import type { Target } from '../targets/target.ts'
import { TargetError } from '../targets/target-error.ts'
import { fetchLists, ListError, type ListKind, type Snapshot, addOlderLists } from './fetch-lists.ts'
import type { CatalogStore } from './catalog-store.ts'
import { invitation } from './invitation.ts'
import { OwnLists } from './own-lists.ts'
import { isPersonal } from '../targets/personal.ts'
import { GrowingDelay } from '../targets/listening/growing-delay.ts'

export interface TargetCatalogHost {
  readonly info: Implementation
  /** How long lists stay fresh when their target does not say. */
  defaultTtl(): number
  readonly store: CatalogStore | undefined
  /** Called when the snapshot, or why there is none, changed; with the lists that the target announced. */
  changed(announced?: ReadonlySet<ListKind>): void
  /** Called when a list differs from the one before. */
  replaced?: ((target: Target, before: Snapshot, after: Snapshot) => void) | undefined
}

/** A target that claims to change all the time is asked once a second all the same. */
const SHORTEST_TTL = 1000
const NO_ANSWER = 'it did not answer in time'

/** The lists of one target: fetched when needed, kept when it goes away, marked stale then. */
export class TargetCatalog {
  readonly target: Target
  /** The lists of connections of single callers. */
  readonly own: OwnLists
  snapshot: Snapshot | undefined
  /** Whether something in the snapshot comes from an earlier run, or from a connection that is gone. */
  stale = false
  /** Whether one of its lists has never been fetched. */
  lacking = false
  /** Whether it tells strangers nothing: people see its lists when they have connected their account. */
  isInvitation = false
  /** Why the last attempt to fetch failed, or part of it; for operators. */
  problem: string | undefined
  /** The same in words for callers. */
  #gap: string | undefined
  readonly #host: TargetCatalogHost
  #fetching: Promise<void> | undefined
  readonly #fetchingOwn = new Map<string, Promise<void>>()
  #again = false
  #soon: NodeJS.Timeout | undefined
  readonly #changesDelay = new GrowingDelay()
  readonly #lookupsDelay = new GrowingDelay()
  #lookup: Promise<void> | undefined
  #announced = new Set<ListKind>()
  #askedAt = 0
  /** Why it has no lists, as far as that is on disk. */
  #missing: string | undefined

  constructor(target: Target, host: TargetCatalogHost) {
    this.target = target
    this.#host = host
    this.own = new OwnLists(target, host.info)
  }

  /** Takes up what an earlier run has left. */
  async restore(): Promise<void> {
    const kept = await this.#host.store?.read(this.target.name)
    if (!kept || this.snapshot) return
    if ('missing' in kept) {
      this.#missing = kept.missing
      return
    }
    this.snapshot = kept.snapshot
    this.stale = true
    this.#host.changed()
  }

  get isFresh(): boolean {
    if (!this.snapshot || this.stale) return false
    const { ttlMs, fetchedAt } = this.snapshot
    const ttl = ttlMs && ttlMs > 0 ? Math.max(ttlMs, SHORTEST_TTL) : this.#host.defaultTtl()
    return Date.now() < fetchedAt + ttl
  }

  /** Whether the target wants to be asked for its lists every time: a lifetime of 0 (2026-07-28, Caching). */
  get isAskedEveryTime(): boolean {
    return this.snapshot?.ttlMs === 0 && !this.stale && this.isWorthAsking
  }

  /** Milliseconds for which clients may keep the lists; 0 when the target does not say, or they are old. */
  get remainingTtl(): number {
    if (!this.snapshot || this.stale) return 0
    return Math.max(0, this.snapshot.fetchedAt + (this.snapshot.ttlMs ?? 0) - Date.now())
  }

  /** A lazy target is not started just to see whether its lists are still the same. */
  get isWorthAsking(): boolean {
    return !this.snapshot || this.target.model.start === 'eager' || this.target.connected
  }

  get isFetching(): boolean {
    return this.#fetching !== undefined
  }

  /** Whether its first lists are on the way: until they come, it may have any name. */
  get isFirstAsked(): boolean {
    return this.isFetching && !this.snapshot
  }

  /** Fetches anew; calls that come meanwhile share the result. */
  refresh(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
      if (this.#again) {
        this.#again = false
        this.#refreshSoon()
      }
    })
    return this.#fetching
  }

  #refreshSoon(): void {
    if (this.#soon) return
    this.#soon = setTimeout(() => {
      this.#soon = undefined
      this.#changesDelay.begin()
      this.refresh().catch(() => {})
    }, this.#changesDelay.wait)
    this.#soon.unref()
  }

  /** Fetches with requests that are sent from now on, whatever is under way. */
  async fetchAnew(): Promise<void> {
    await this.#fetching?.catch(() => {})
    return this.refresh()
  }

  /** Fetches again for an unknown name, which may be new. Callers share a fetch, at most one in a second. */
  lookUp(): Promise<void> {
    this.#lookup ??= new Promise<void>((resolve) => {
      setTimeout(resolve, this.#lookupsDelay.wait)
    }).then(() => {
      this.#lookup = undefined
      this.#lookupsDelay.begin()
      return this.fetchAnew()
    })
    return this.#lookup
  }

  /**
   * The target said that something changed, on one of its connections: what is being fetched now may be old already.
   */
  invalidate(kind?: ListKind, connection = ''): void {
    if (!isSharedKey(connection)) void this.fetchOwn(connection)
    if (kind) this.#announced.add(kind)
    if (this.#fetching) this.#again = true
    else this.#refreshSoon()
  }

  /** Fetches the lists of one caller's connection. Callers that want them meanwhile wait for the same fetch. */
  fetchOwn(connection: string): Promise<void> {
    const fetching =
      this.#fetchingOwn.get(connection) ??
      this.#fetchOwn(connection).finally(() => this.#fetchingOwn.delete(connection))
    this.#fetchingOwn.set(connection, fetching)
    return fetching
  }

  async #fetchOwn(connection: string): Promise<void> {
    const changed = await this.own.fetch(connection, this.snapshot, this.isInvitation).catch(() => undefined)
    if (changed && changed.size > 0) this.#host.changed(changed)
  }

  /** How long a list may wait for this target. A target that had nothing in the last run is not waited for. */
  waitUntil(deadline: number): number {
    return this.#missing !== undefined ? 0 : this.#askedAt + deadline
  }

  /** Notes that a caller has waited for this target without success. */
  noteMissing(reason: string = this.#gap ?? NO_ANSWER): void {
    if (this.snapshot || this.#missing === reason) return
    this.#missing = reason
    this.#host.store?.write(this.target.name, { missing: reason })
  }

  /** Why its lists are missing or old, for callers. */
  get gapReason(): string {
    return this.#gap ?? this.#missing ?? (this.snapshot ? 'it has not been asked yet' : NO_ANSWER)
  }

  #failed(failures: readonly unknown[]): void {
    this.problem =
      failures.length > 0
        ? failures.map((thrown) => this.target.stderr.hide(wordsOf(thrown))).join('; ')
        : undefined
    this.#gap = failures.length > 0 ? failures.map(gapOf).join('; ') : undefined
  }

  async #fetch(): Promise<void> {
    this.#askedAt = Date.now()
    const announced = this.#announced
    this.#announced = new Set()
    try {
      const connection: TargetConnection = await this.target.main.acquire()
      const {
        lists: fetched,
        failures,
        lacking,
      } = await fetchLists({
        send: (exchange) => this.target.handleOwn(exchange),
        capabilities: connection.discovery.capabilities,
        info: this.#host.info,
        before: this.snapshot,
      })
      const lists = await addOlderLists(fetched, this.target, this.#host.info)
      const snapshot: Snapshot = { ...lists, discovery: connection.discovery, fetchedAt: Date.now() }
      const before = this.snapshot
      const known = this.problem
      this.#failed(failures)
      const stale = failures.length > 0
      const same = this.stale === stale && this.problem === known && isEqual(before, snapshot)
      this.snapshot = snapshot
      this.isInvitation = false
      this.stale = stale
      this.lacking = stale && (lacking || this.lacking)
      this.#missing = undefined
      if (!same || announced.size > 0) this.#host.changed(announced)
      if (same) return
      this.#host.store?.write(this.target.name, { snapshot })
      if (before) this.#host.replaced?.(this.target, before, snapshot)
    } catch (thrown) {
      if (isPersonal(this.target.model) && (!this.snapshot || this.isInvitation)) return this.#invite()
      const before = this.problem
      this.#failed([thrown])
      const known = this.problem === before && this.stale
      for (const kind of announced) this.#announced.add(kind)
      if (this.snapshot) this.stale = true
      else this.noteMissing()
      if (!known) this.#host.changed()
      throw thrown
    }
  }

  #invite(): void {
    const isNews = !this.isInvitation
    this.isInvitation = true
    this.snapshot = invitation(this.target.model)
    if (isNews) this.#host.changed()
  }
}

/** Has the lists of some targets fetched anew, as often as their delays allow. */
export function lookUp(catalogs: readonly TargetCatalog[]): Promise<PromiseSettledResult<void>[]> {
  return Promise.allSettled(catalogs.map((one) => one.lookUp()))
}

/** A server decides how long its messages are. */
const MAX_WORDS = 4000

function wordsOf(thrown: unknown): string {
  return cutText(thrown instanceof Error ? thrown.message : String(thrown), MAX_WORDS)
}

function gapOf(thrown: unknown): string {
  if (thrown instanceof TargetError) return callerReason(thrown)
  return thrown instanceof ListError ? thrown.what : 'its lists could not be fetched'
}

function isEqual(a: Snapshot | undefined, b: Snapshot): boolean {
  if (!a) return false
  const strip = ({ fetchedAt: _at, ...rest }: Snapshot): string => writeJson(rest)
  return strip(a) === strip(b)
}

import {
  isJsonObject,
  principalKey,
  samePrincipal,
  type JsonObject,
  type Principal,
} from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import { digest } from '../secret-texts.ts'
import { secretsIn } from '../../model/index.ts'
import { allRows, withLease, type Lease, type Row, type Rows, type Store } from '../../store/index.ts'
import type { Envelope, KeyRing } from './key-ring.ts'

/** The owner of an account, its target, and the server there that may see it. Every row has one of these. */
export interface Place {
  readonly principal: Principal
  readonly target: string
  /** Where the credential may go: a server that the configuration puts in its place later does not get it. */
  readonly server: string
}

/** An account that a person has connected. */
export interface VaultEntry extends Place {
  readonly connectedAt: number
  /** The pasted secrets, by the name of the variable or header. */
  readonly values?: Readonly<Record<string, string>> | undefined
  /** The result of the login: tokens, their authorization server, and their end. */
  readonly tokens?: JsonObject | undefined
}

export interface VersionedEntry {
  readonly entry: VaultEntry
  readonly version: number
}

/** The facts of a row that operators and its owner may see. */
export interface VaultRow extends Place {
  readonly connectedAt: number
  readonly kind: 'key' | 'login'
  readonly issuer: string | undefined
  readonly expiresAt: number | undefined
  readonly renewable: boolean
  readonly usedAt: number | undefined
  readonly kid: string
}

export interface VaultOptions {
  readonly store: Store
  readonly ring: KeyRing
  /**
   * Told of every secret that is read or written, so that no text shows it; with its owner, where a person typed it in.
   */
  learnSecret(this: void, value: string, owner?: Place): void
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

const CHANGES = 'vault'
/** How exact the time of the last use is. */
const USED_STEP = 60_000

/** The accounts of people at targets. A row is read with its owner's name, and with that alone. */
export class Vault {
  readonly store: Store
  /** Told of every secret, so that no text shows it. */
  readonly learnSecret: VaultOptions['learnSecret']
  readonly #rows: Rows
  readonly #uses: Rows
  readonly #ring: KeyRing
  readonly #options: VaultOptions
  readonly #used = new Map<string, number>()

  constructor(options: VaultOptions) {
    this.#options = options
    this.store = options.store
    this.learnSecret = options.learnSecret
    this.#ring = options.ring
    this.#rows = this.store.rows({ name: 'vault', maxRows: 200_000, maxValueBytes: 256 * 1024 })
    this.#uses = this.store.rows({ name: 'vault-uses', maxRows: 200_000, maxValueBytes: 64 })
  }

  async get(place: Place): Promise<VersionedEntry | undefined> {
    const row = await this.#rows.get(keyOf(place))
    const entry = row && (await this.#read(row, place))
    return entry && { entry, version: row.version }
  }

  async has(place: Place): Promise<boolean> {
    return (await this.get(place)) !== undefined
  }

  /** With a version: only over the row that was read. False when it has changed or gone meanwhile. */
  async put(
    entry: VaultEntry,
    { lease, version }: { lease?: Lease | undefined; version?: number } = {},
  ): Promise<boolean> {
    this.#learn(entry)
    const { principal, target, server, connectedAt, values, tokens } = entry
    const text = JSON.stringify({ principal, target, server, connectedAt, values, tokens })
    const key = keyOf(entry)
    const value = JSON.stringify(await this.#ring.seal(text, key))
    if (version === undefined) {
      await this.#rows.put(key, value, { lease })
      return true
    }
    return (await this.#rows.swap(key, version, value, { lease })) !== undefined
  }

  async remove(place: Place): Promise<boolean> {
    const key = keyOf(place)
    await this.#uses.remove(key)
    return this.#rows.remove(key)
  }

  /** Remembers that it was used, to the minute. */
  async used(place: Place): Promise<void> {
    const key = keyOf(place)
    const now = Date.now()
    if (now - (this.#used.get(key) ?? 0) < USED_STEP) return
    if (this.#used.size > 10_000) this.#used.clear()
    this.#used.set(key, now)
    await this.#uses.put(key, String(now))
  }

  /** The rows of one person, or of all people. Rows that cannot be opened are left out and reported. */
  async list(principal?: Principal): Promise<VaultRow[]> {
    const found: VaultRow[] = []
    for await (const row of allRows(this.#rows, principal && ownerOf(principal))) {
      const entry = await this.#read(row)
      if (!entry || (principal && !samePrincipal(entry.principal, principal))) continue
      const used = await this.#uses.get(row.key)
      found.push(toRow(entry, kidOf(row), used && Number(used.value)))
    }
    return found
  }

  /** Runs while no other process works on this account. */
  lock<T>(
    place: Place,
    what: string,
    run: (lease: Lease, isHeld: () => boolean) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return withLease(this.store, `vault ${keyOf(place)} ${what}`, run, signal)
  }

  /** Tells all processes that the account of a person was replaced or removed. */
  announce({ principal, target }: Place): Promise<void> {
    return this.store.publish(CHANGES, JSON.stringify({ principal, target }))
  }

  /** `missed`: something may have changed that was not heard. */
  follow(changed: (change: Pick<Place, 'principal' | 'target'> | 'missed') => void): Promise<() => void> {
    return this.store.subscribe(CHANGES, {
      message: (text) => changed(parseJson(text) as unknown as Pick<Place, 'principal' | 'target'>),
      missed: () => changed('missed'),
    })
  }

  /** Seals all rows with a new key. Returns its name, how many rows there were, and how many no key opens. */
  rotate(): Promise<{ kid: string; rows: number; unreadable: number }> {
    return withLease(this.store, 'vault rotation', async () => {
      const kid = await this.#ring.add(await this.#kidsInUse())
      let rows = 0
      let unreadable = 0
      for await (const row of allRows(this.#rows)) {
        rows++
        if (!(await this.#rewrap(row))) unreadable++
      }
      return { kid, rows, unreadable }
    })
  }

  /** The keys of the ring, the newest first, with the number of rows under each. */
  async keys(): Promise<{ kid: string; rows: number }[]> {
    const counts = new Map((await this.#ring.ids()).map((kid) => [kid, 0]))
    for await (const row of allRows(this.#rows)) counts.set(kidOf(row), (counts.get(kidOf(row)) ?? 0) + 1)
    return [...counts].map(([kid, rows]) => ({ kid, rows }))
  }

  async #rewrap(found: Row): Promise<boolean> {
    let row: Row | undefined = found
    // A token that is renewed in this moment is sealed with the new key already, or comes next.
    while (row) {
      const { key, version } = row
      const envelope = toEnvelope(row)
      const sealed = envelope && (await this.#ring.rewrap(envelope, key))
      if (!sealed) return false
      if ((await this.#rows.swap(key, version, JSON.stringify(sealed))) !== undefined) return true
      row = await this.#rows.get(key)
    }
    return true
  }

  async #kidsInUse(): Promise<Set<string>> {
    const used = new Set<string>()
    for await (const row of allRows(this.#rows)) used.add(kidOf(row))
    return used
  }

  async #read(row: Row, place?: Place): Promise<VaultEntry | undefined> {
    const envelope = toEnvelope(row)
    const text = envelope && (await this.#ring.open(envelope, row.key))
    const entry = text === undefined ? undefined : (parseJson(text) as unknown as VaultEntry)
    // A row that was moved to another key does not open. This is the second check: both would have to fail before a
    // person gets the account of another person.
    if (
      entry &&
      (!place || (samePrincipal(entry.principal, place.principal) && entry.target === place.target))
    ) {
      this.#learn(entry)
      return entry
    }
    this.#options.log('warn', 'A row of the vault cannot be read, so its owner has to connect again', {
      row: row.key.slice(0, 12),
      key: kidOf(row),
      event: 'vault-row-unreadable',
    })
    return undefined
  }

  #learn({ principal, target, server, values = {}, tokens }: VaultEntry): void {
    const owner = { principal, target, server }
    for (const secret of Object.values(values)) this.learnSecret(secret, owner)
    for (const secret of secretsIn(tokens)) this.learnSecret(secret)
  }
}

/** The rows of one person stand together. */
function ownerOf(principal: Principal): string {
  return `${digest(principalKey(principal))}.`
}

function keyOf({ principal, target, server }: Place): string {
  return ownerOf(principal) + digest(JSON.stringify([target, server]))
}

/** Returns undefined when the row is damaged or cut off. */
function toEnvelope({ value }: Row): Envelope | undefined {
  try {
    const envelope: unknown = parseJson(value)
    const members = isJsonObject(envelope) ? [envelope.kid, envelope.key, envelope.data] : []
    return members.length === 3 && members.every((one) => typeof one === 'string')
      ? (envelope as unknown as Envelope)
      : undefined
  } catch {
    return undefined
  }
}

function kidOf(row: Row): string {
  return toEnvelope(row)?.kid ?? ''
}

function toRow(entry: VaultEntry, kid: string, usedAt: number | undefined): VaultRow {
  const { principal, target, server, connectedAt, tokens = {} } = entry
  const { issuer, expiresAt, refreshToken } = tokens
  return {
    principal,
    target,
    server,
    connectedAt,
    kind: entry.tokens ? 'login' : 'key',
    issuer: typeof issuer === 'string' ? issuer : undefined,
    expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
    renewable: refreshToken !== undefined,
    usedAt,
    kid,
  }
}

import { digest } from '../secret-texts.ts'
import type { Row, Rows, Store } from '../../store/index.ts'

export interface Payload {
  readonly [name: string]: unknown
  readonly grantId?: string
  readonly uid?: string
  consumed?: number
}

/** A lost answer must not sign anybody out: for this long the refresh token before the last one is still good. */
export const GRACE_SECONDS = 60

/** Kept apart, so that a flood of beginnings pushes no sign-in out. All are encrypted. */
const TABLES = {
  flows: { name: 'sign-in-flows', maxRows: 20_000 },
  grants: { name: 'sign-in-grants', maxRows: 200_000 },
  clients: { name: 'sign-in-clients', maxRows: 50_000 },
} as const
const IN_GRANTS = new Set(['Grant', 'RefreshToken', 'AccessToken'])
/** A client that was not registered again for so long has to do it anew. */
const CLIENT_LIFE = 365 * 24 * 60 * 60
const MAX_VALUE = 64 * 1024

/** Rows of the store in the form that oidc-provider asks for. Ids are hashed: some of them are the tokens themselves. */
export class StoreAdapter {
  readonly #model: string
  readonly #rows: Rows
  readonly #refuse: () => Error

  /** `refuse` makes what is thrown when something is used twice that may be used once. */
  constructor(store: Store, model: string, refuse: () => Error) {
    const table = model === 'Client' ? 'clients' : IN_GRANTS.has(model) ? 'grants' : 'flows'
    this.#model = model
    this.#rows = store.rows({ ...TABLES[table], secret: true, maxValueBytes: MAX_VALUE })
    this.#refuse = refuse
  }

  async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
    const ttl = (expiresIn ?? (this.#model === 'Client' ? CLIENT_LIFE : undefined)) as number | undefined
    const options = { ttl: ttl === undefined ? undefined : Math.max(ttl, 1) * 1000 }
    await this.#rows.put(this.#key(id), JSON.stringify(payload), options)
    if (this.#model === 'Session' && payload.uid !== undefined) {
      await this.#rows.put(this.#uidKey(payload.uid), id, options)
    }
    if (payload.grantId !== undefined) await this.#rows.put(this.#grantKey(payload.grantId, id), id, options)
  }

  async find(id: string): Promise<Payload | undefined> {
    const row = await this.#read(this.#key(id))
    if (!row) return undefined
    const payload = toPayload(row)
    const isInGrace =
      this.#model === 'RefreshToken' &&
      payload.consumed !== undefined &&
      Date.now() / 1000 - payload.consumed <= GRACE_SECONDS
    if (isInGrace) delete payload.consumed
    return payload
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    const row = await this.#read(this.#uidKey(uid))
    return row && this.find(row.value)
  }

  async findByUserCode(): Promise<undefined> {
    return undefined
  }

  /** When two use a code at the same moment, one is refused. A refresh token keeps the time of its first use. */
  async consume(id: string): Promise<void> {
    const key = this.#key(id)
    for (;;) {
      const row = await this.#read(key)
      if (!row) throw this.#refuse()
      const payload = toPayload(row)
      if (payload.consumed !== undefined) {
        if (this.#model === 'RefreshToken') return
        throw this.#refuse()
      }
      payload.consumed = Math.floor(Date.now() / 1000)
      const ttl = row.expires === undefined ? undefined : Math.max(row.expires - Date.now(), 1)
      if ((await this.#rows.swap(key, row.version, JSON.stringify(payload), { ttl })) !== undefined) return
    }
  }

  async destroy(id: string): Promise<void> {
    const row = await this.#rows.take(this.#key(id)).catch(() => undefined)
    if (!row) return
    const { uid, grantId } = toPayload(row)
    if (this.#model === 'Session' && uid !== undefined) await this.#rows.remove(this.#uidKey(uid))
    if (grantId !== undefined) await this.#rows.remove(this.#grantKey(grantId, id))
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (;;) {
      const members = await this.#rows.list({ prefix: this.#grantKey(grantId, ''), limit: 100 })
      for (const { key, value } of members) {
        await this.#rows.remove(this.#key(value))
        await this.#rows.remove(key)
      }
      if (members.length < 100) return
    }
  }

  /** A row of another key is as if it were gone: its holder signs in again. */
  async #read(key: string): Promise<Row | undefined> {
    return this.#rows.get(key).catch((error: { code?: string }) => {
      if (error.code === 'unreadable') return undefined
      throw error
    })
  }

  #key(id: string): string {
    return `${this.#model} ${digest(id)}`
  }

  #uidKey(uid: string): string {
    return `${this.#model}-uid ${digest(uid)}`
  }

  #grantKey(grantId: string, id: string): string {
    return `${this.#model}-of-grant ${digest(grantId)} ${id === '' ? '' : digest(id)}`
  }
}

function toPayload({ value }: Row): Payload {
  return JSON.parse(value) as Payload
}

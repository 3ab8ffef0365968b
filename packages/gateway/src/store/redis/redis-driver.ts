import type { Driver, Hear } from '../driver.ts'
import type { Stored } from '../engine.ts'
import type { Argument, OperationName, Result } from '../operations/index.ts'
import { toMessageBytes, type NumberedMessage } from '../operations/messages.ts'
import type { PutRow } from '../operations/rows.ts'
import { FORMAT, fromJsonBytes } from '../operations/tables.ts'
import { StoreError } from '../store-error.ts'
import type { Away, Inspection, Lease, ScannedRow, Spent } from '../store.ts'
import type { RedisOptions } from './client.ts'
import type { RedisClient } from './redis-client.ts'
import { RedisLink } from './link.ts'

export interface RedisDriverOptions extends RedisOptions {
  /** The prefix of all keys. It stands in braces, so that a cluster keeps all keys on one node. */
  readonly prefix: string
  readonly maxBytes: number
  readonly onAway?: ((away: Away | undefined) => void) | undefined
}

/** A message that was announced and did not come is found after this time; so is a server that is gone in silence. */
const HEARTBEAT = 1000
const KEYS = ['meta', 'heads', 'values', 'order', 'expiry']

type Args = readonly (string | Buffer)[]

/** How each operation is asked for, and what its answer means. */
type Codec = {
  readonly [Name in OperationName]: (
    run: (...args: Args) => Promise<unknown>,
    argument: Argument<Name>,
    context: { readonly channel: string; readonly maxBytes: number },
  ) => Promise<Result<Name>>
}

export async function openRedisDriver(options: RedisDriverOptions): Promise<Driver> {
  const driver = new RedisDriver(options)
  await driver.open()
  return driver
}

class RedisDriver implements Driver {
  readonly kind = 'redis'
  readonly #link: RedisLink
  readonly #context: { readonly channel: string; readonly maxBytes: number }
  readonly #listeners = new Set<Hear>()
  #heartbeat: NodeJS.Timeout | undefined
  #cursor = 0
  #reading: Promise<void> | undefined
  #readAgain = false

  constructor(options: RedisDriverOptions) {
    const { prefix, maxBytes } = options
    this.#context = { channel: `{${prefix}}:news`, maxBytes }
    const keys = KEYS.map((key) => `{${prefix}}:${key}`)
    this.#link = new RedisLink({ ...options, keys }, (client) => this.#begin(client))
  }

  get away(): Away | undefined {
    return this.#link.away
  }

  async open(): Promise<void> {
    await this.#link.open()
    this.#heartbeat = setInterval(() => void this.#beat(), HEARTBEAT).unref()
  }

  async run<Name extends OperationName>(name: Name, argument: Argument<Name>): Promise<Result<Name>> {
    return CODEC[name]((...args) => this.#link.run(name, args), argument, this.#context)
  }

  async watch(hear: Hear): Promise<() => void> {
    this.#listeners.add(hear)
    try {
      if (this.#listeners.size === 1) this.#cursor = await this.run('newest', undefined)
    } catch (error) {
      // Listens when Redis is back. Messages until then were missed.
      if ((error as StoreError).code !== 'unavailable') throw error
      this.#cursor = -1
    }
    return () => void this.#listeners.delete(hear)
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat)
    this.#listeners.clear()
    await this.#link.close()
  }

  /** Before a new connection is used: checks the layout of the store, and reads the messages that came meanwhile. */
  async #begin(client: RedisClient): Promise<void> {
    const format = Number(await this.#link.run('format', [], client))
    if (format > FORMAT) {
      const message = `The store was written by a newer version (format ${format}, this version knows ${FORMAT})`
      throw new StoreError('unusable', message)
    }
    await this.#refuseEviction(client)
    await client.subscribe(this.#context.channel, () => this.#look())
    if (this.#listeners.size > 0) setImmediate(() => this.#look())
  }

  /** Rows have no end in Redis' sense, so only the policies that take any key are a danger. */
  async #refuseEviction(client: RedisClient): Promise<void> {
    // Not every service permits the question, and a cluster has no single answer.
    const facts = String(await client.info?.('memory').catch(() => ''))
    const policy = /^maxmemory_policy:(allkeys-\S+)/m.exec(facts)?.[1]
    if (policy === undefined) return
    const message = `Redis throws rows away when its memory is full ("maxmemory-policy ${policy}"): set it to noeviction`
    throw new StoreError('unusable', message)
  }

  async #beat(): Promise<void> {
    if (this.#listeners.size > 0) this.#look()
    else await this.#link.run('newest', []).catch(() => {})
  }

  /** One read at a time. Messages that come meanwhile are read after it. */
  #look(): void {
    if (this.#listeners.size === 0) return
    if (this.#reading) {
      this.#readAgain = true
      return
    }
    this.#reading = this.#readNews()
      // The connection is lost: the next one looks again.
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined
        if (!this.#readAgain) return
        this.#readAgain = false
        this.#look()
      })
  }

  async #readNews(): Promise<void> {
    const cursor = this.#cursor
    const found = (await this.#link.run('news', [String(Math.max(0, cursor))])) as Buffer[]
    const sequence = Number(found[0])
    const messages: NumberedMessage[] = []
    for (let at = 2; at < found.length; at += 2) {
      const [channel, text] = fromJsonBytes<[string, string]>(found[at + 1]!)
      messages.push({ channel, text, number: Number(found[at]) })
    }
    // A sequence that went back belongs to a server which lost its data.
    const missed = cursor < 0 || Number(found[1]) > cursor || sequence < cursor
    this.#cursor = sequence
    if (messages.length === 0 && !missed) return
    for (const hear of this.#listeners) hear({ messages, missed })
  }
}

const CODEC: Codec = {
  get: async (run, { table, key }) => toStored(await run(table, key)),
  list: async (run, { table, prefix, after = '', limit }) => {
    const found = limit > 0 ? ((await run(table, prefix, after, String(limit))) as Buffer[]) : []
    return inThrees(found).map(([key, head, value]) => [key.toString(), toStored([head, value])!])
  },
  holds: async (run, lease) => (await run(lease.name, String(lease.token))) === 1,
  inspect: async (run, _, { maxBytes }) => {
    const [bytes, tables, ...problems] = (await run()) as Buffer[]
    const found = fromJsonBytes<Inspection['tables']>(tables!)
    return { format: FORMAT, bytes: Number(bytes), maxBytes, tables: found, problems: problems.map(String) }
  },
  scan: async (run, { after, limit }) => {
    const found = (await run(after?.table ?? '', after?.key ?? '', String(limit))) as Buffer[]
    return inThrees(found).map(([place, head, value]): ScannedRow => {
      const [table, key] = splitPlace(place.toString())
      const { expires, ...row } = toStored([head, value])!
      return { table, key, ...row, expires: expires || undefined }
    })
  },
  newest: async (run) => Number(await run()),
  put: async (run, put) => Number(await run(...putArgs(put))),
  swap: async (run, { version, ...put }) => {
    const written = await run(version === undefined ? '' : String(version), ...putArgs(put))
    return written === null ? undefined : Number(written)
  },
  take: async (run, { table, key }) => toStored(await run(table, key)),
  spend: async (run, buckets) => {
    const names = Object.keys(buckets)
    const args = Object.entries(buckets).flatMap(([counter, { capacity, perSecond, fullAt, cost = 1 }]) => [
      counter,
      String(capacity),
      String(perSecond),
      String(fullAt ?? ''),
      String(cost),
    ])
    const [granted, scarcest, left, wait] = (await run(...args)) as [number, number, Buffer, Buffer]
    const retryAfter = String(wait) === 'inf' ? Infinity : Number(wait)
    return { granted: granted === 1, scarcest: names[scarcest]!, left: Number(left), retryAfter } as Spent
  },
  acquire: async (run, { name, ttl }) => toLease(name, await run(name, String(ttl))),
  renew: async (run, { lease, ttl }) =>
    toLease(lease.name, await run(lease.name, String(lease.token), String(ttl))),
  release: async (run, lease) => (await run(lease.name, String(lease.token))) === 1,
  publish: async (run, message, { channel }) => Number(await run(channel, toMessageBytes(message))),
  sweep: async (run, limit) => Number(await run(String(limit))),
}

function putArgs({ table, key, bytes, secret, maxRows, ttl, lease }: PutRow): Args {
  const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = ttl === undefined ? '' : String(ttl)
  return [
    table,
    key,
    value,
    secret ? '1' : '0',
    String(maxRows),
    end,
    lease?.name ?? '',
    String(lease?.token ?? ''),
  ]
}

function toStored(answer: unknown): Stored | undefined {
  if (answer === null) return undefined
  const [head, bytes] = answer as [Buffer, Buffer]
  const [secret, version, expires] = head.toString().split(' ')
  return { bytes, version: Number(version), expires: Number(expires), secret: secret === '1' }
}

function toLease(name: string, answer: unknown): Lease | undefined {
  if (answer === null) return undefined
  const [token, expires] = answer as [Buffer, Buffer]
  return { name, token: Number(token), expires: Number(expires) }
}

function inThrees(found: readonly Buffer[]): [Buffer, Buffer, Buffer][] {
  return Array.from({ length: found.length / 3 }, (_, index) => {
    const at = index * 3
    return [found[at]!, found[at + 1]!, found[at + 2]!]
  })
}

function splitPlace(place: string): [table: string, key: string] {
  const end = place.indexOf('\0')
  return [place.slice(0, end), place.slice(end + 1)]
}

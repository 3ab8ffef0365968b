import { principalKey, writeJson } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'
import type { ExchangeRecord, Hides, KeptMessage, SeenMessage } from './exchange-record.ts'
import { SLOW_FROM } from './flight-recorder.ts'
import { redacting } from './redacting.ts'

/** Messages of one exchange that are kept; progress can be endless. */
const MAX_MESSAGES = 200
/** Characters of all messages together; beyond it the oldest exchanges lose theirs. */
const MAX_KEPT = 32 * 1024 * 1024

/** The last exchanges, and those before them that are worth keeping. */
export class KeptExchanges {
  readonly #ring: readonly (ExchangeRecord | undefined)[]
  readonly #bodyBytes: number
  readonly #hide: Hides
  readonly #survivors = new Survivors()
  #kept = 0
  /** No recent exchange before this one has messages. */
  #firstKept: number

  /**
   * `ring` has each of the last exchanges at its id. An empty ring keeps nothing. `bodyBytes`: characters of a message.
   */
  constructor(
    ring: readonly (ExchangeRecord | undefined)[],
    bodyBytes: number,
    hide: Hides,
    firstId: number,
  ) {
    this.#firstKept = firstId
    this.#hide = hide
    this.#ring = ring
    this.#bodyBytes = bodyBytes
  }

  get #size(): number {
    return this.#ring.length
  }

  /** Called when a newer exchange takes its place. */
  pushedOut(old: ExchangeRecord): void {
    const { messages } = old
    this.#strip(old)
    // An exchange that still runs is listed among the running ones.
    if (old.status !== 'running' && this.#survivors.wants(old)) this.#survivors.add(old, messages)
  }

  /** Called at the end of an exchange that ran so long that newer exchanges have pushed it out. */
  endedLate(record: ExchangeRecord): void {
    if (this.#size > 0 && this.#survivors.wants(record)) this.#survivors.add(record, record.messages)
  }

  #isRecent(record: ExchangeRecord): boolean {
    return this.#ring[record.id % this.#size] === record
  }

  #strip(record: ExchangeRecord): void {
    if (!record.messages) return
    for (const { json } of record.messages) this.#kept -= json.length
    record.messages = undefined
  }

  /** Messages are kept as text: what they hold may be changed or be huge, and must not stay alive with them. */
  keep(record: ExchangeRecord, { message, ...rest }: SeenMessage): void {
    const isRecent = this.#size > 0 && this.#isRecent(record)
    const isLate = this.#size > 0 && record.status !== 'running'
    if ((!isRecent && !isLate) || (record.messages?.length ?? 0) >= MAX_MESSAGES) return
    const isAnswer = (rest.hop === 'target') === (rest.direction === 'in')
    const shown = isAnswer && record.clean ? record.clean(message) : message
    const { written, bytes } = beginningOf(shown, this.#bodyBytes)
    // Now, as a whole: what looks like a credential when it is shown may be only a part of one.
    const json = this.#hide.inJson(cutText(written, this.#bodyBytes))
    record.messages ??= []
    record.messages.push({ ...rest, at: rest.at ?? Date.now(), json, bytes })
    if (isRecent) this.#kept += json.length
    while (this.#kept > MAX_KEPT && this.#firstKept < record.id) {
      const oldest = this.#ring[this.#firstKept % this.#size]
      if (oldest?.id === this.#firstKept++) this.#strip(oldest)
    }
  }

  /** Newest first. `running`: those that run, which may be older than the others. */
  list(limit: number, before: number, running: readonly ExchangeRecord[]): ExchangeRecord[] {
    const found: ExchangeRecord[] = []
    for (let id = before - 1; id > 0 && id >= before - this.#size && found.length < limit; id--) {
      const record = this.#ring[id % this.#size]
      if (record?.id === id) found.push(record)
    }
    if (this.#size === 0 || found.length >= limit) return found
    const older = [...this.#survivors.values(), ...running.filter((record) => !this.#isRecent(record))]
      .filter(({ id }) => id < before)
      .sort((a, b) => b.id - a.id)
    return found.concat(older.slice(0, limit - found.length))
  }

  find(id: number): ExchangeRecord | undefined {
    const record = this.#size > 0 ? this.#ring[id % this.#size] : undefined
    return record?.id === id ? record : this.#survivors.find(id)
  }

  clear(): void {
    this.#survivors.clear()
    this.#kept = 0
  }
}

/**
 * A value as JSON without secrets, as it is at least up to `most` characters, and how long the whole is. Values behind
 * that are not looked at: a result may have hundreds of thousands.
 */
function beginningOf(value: unknown, most: number): { readonly written: string; readonly bytes: number } {
  let left = most
  const written =
    writeJson(value, (key, part: unknown) => {
      if (left < 0) return undefined
      const shown = redacting(key, part)
      left -= typeof shown === 'string' ? shown.length : 1
      return shown
    }) ?? 'null'
  return { written, bytes: left < 0 ? writeJson(value).length : written.length }
}

const MOST_FAILED = 500
const MOST_SLOW = 100
/** Characters of everything that is kept here. */
const MAX_CHARACTERS = 8 * 1024 * 1024

/**
 * The exchanges that failed or took longest, among those that newer exchanges have pushed out. Bounded in number and
 * size.
 */
class Survivors {
  /** Oldest first. */
  #failed: ExchangeRecord[] = []
  /** Slowest first. */
  #slowest: ExchangeRecord[] = []
  #characters = 0

  wants(record: ExchangeRecord): boolean {
    if (hasFailed(record)) return !record.isForLoad
    const { method, durationMs = 0 } = record
    // A subscription lasts as long as its client wants.
    if (durationMs < SLOW_FROM || method === 'subscriptions/listen') return false
    return this.#slowest.length < MOST_SLOW || durationMs > this.#slowest.at(-1)!.durationMs!
  }

  add(record: ExchangeRecord, messages: KeptMessage[] | undefined): void {
    record.messages = messages
    this.#characters += charactersOf(record)
    if (hasFailed(record)) this.#failed.push(record)
    else {
      const place = this.#slowest.findIndex(({ durationMs }) => durationMs! < record.durationMs!)
      this.#slowest.splice(place === -1 ? this.#slowest.length : place, 0, record)
    }
    if (this.#failed.length > MOST_FAILED) this.#drop(this.#oldestOfGreatest())
    if (this.#slowest.length > MOST_SLOW) this.#drop(this.#slowest.pop())
    while (this.#characters > MAX_CHARACTERS) this.#drop(this.#oldestOfGreatest() ?? this.#slowest.pop())
  }

  /** The caller with the most failures loses one, so that a flood does not push out the failures of others. */
  #oldestOfGreatest(): ExchangeRecord | undefined {
    const counts = new Map<string, number>()
    let greatest: string | undefined
    for (const record of this.#failed) {
      const key = callerOf(record)
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      if (count > (counts.get(greatest ?? '') ?? 0) || greatest === undefined) greatest = key
    }
    const at = this.#failed.findIndex((record) => callerOf(record) === greatest)
    return at === -1 ? undefined : this.#failed.splice(at, 1)[0]
  }

  #drop(record: ExchangeRecord | undefined): void {
    if (record) this.#characters -= charactersOf(record)
  }

  find(id: number): ExchangeRecord | undefined {
    return this.values().find((record) => record.id === id)
  }

  values(): ExchangeRecord[] {
    return [...this.#failed, ...this.#slowest]
  }

  clear(): void {
    this.#failed = []
    this.#slowest = []
    this.#characters = 0
  }
}

function hasFailed({ status }: ExchangeRecord): boolean {
  return status === 'error' || status === 'tool-error' || status === 'refused'
}

function callerOf({ client: { principal, session, name = '' } }: ExchangeRecord): string {
  return principal ? principalKey(principal) : (session ?? name)
}

function charactersOf({ name = '', error = '', messages = [] }: ExchangeRecord): number {
  return messages.reduce((sum, { json }) => sum + json.length, name.length + error.length)
}

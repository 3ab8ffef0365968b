import { fromJsonBytes, toJsonBytes, LOG, toDigits, type Tables } from './tables.ts'
import { StoreError } from '../store-error.ts'

/** How long messages are kept, in milliseconds. A process that was busy for longer is told that it missed messages. */
const KEPT_FOR = 60_000
const MAX_MESSAGES = 1000
const MAX_BYTES = 64 * 1024

export interface Message {
  readonly channel: string
  readonly text: string
}

/** Later messages have higher numbers. */
export interface NumberedMessage extends Message {
  readonly number: number
}

export interface News {
  readonly cursor: number
  readonly messages: readonly NumberedMessage[]
  /** Whether messages after the old cursor are gone. */
  readonly missed: boolean
}

/** The message as a row. Throws when it is too long. */
export function toMessageBytes({ channel, text }: Message): Buffer {
  const bytes = toJsonBytes([channel, text])
  if (bytes.length > MAX_BYTES) {
    throw new StoreError(
      'too_large',
      `A message has ${MAX_BYTES} bytes at most, this one has ${bytes.length}`,
    )
  }
  return bytes
}

export function publishMessage(tables: Tables, message: Message): number {
  const bytes = toMessageBytes(message)
  const version = tables.next()
  const expires = tables.now + KEPT_FOR
  tables.put(LOG, toDigits(version), { bytes, version, expires, secret: false }, MAX_MESSAGES + 1)
  const { rows } = tables.meta
  const oldest = (rows[LOG] ?? 0) > MAX_MESSAGES && [...first(tables)]
  if (oldest) for (const key of oldest) tables.remove(LOG, key)
  return version
}

function* first(tables: Tables): Generator<string> {
  for (const [key] of tables.range(LOG)) return yield key
}

/** Messages after the cursor. */
export function readNews(tables: Tables, cursor: number): News {
  const messages: NumberedMessage[] = []
  let last = cursor
  for (const [, { bytes, version }] of tables.range(LOG, { after: toDigits(cursor) })) {
    const [channel, text] = fromJsonBytes<[string, string]>(bytes)
    messages.push({ channel, text, number: version })
    last = version
  }
  return { cursor: last, messages, missed: tables.meta.dropped > cursor }
}

/** Where a listener begins. */
export function newestMessage(tables: Tables, _?: undefined): number {
  return tables.meta.sequence
}

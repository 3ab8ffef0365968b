import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import type { ChainHead } from './thread/hash-chain.ts'

/** Longer than any event that is written. */
const MOST_LINE = 1024 * 1024

export interface ReadLine {
  readonly text: string
  /** Where the next line begins. */
  readonly end: number
  /** The file ends in the middle of it. */
  readonly isTorn: boolean
}

/** The lines of a file from a place on. A line without an end that is too long for an event ends the reading. */
export async function* readLines(file: string, start = 0, signal?: AbortSignal): AsyncGenerator<ReadLine> {
  let rest: Buffer = Buffer.alloc(0)
  let end = start
  const stream = createReadStream(file, { start, ...(signal && { signal }) })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10)) {
      end += at + 1
      yield { text: data.toString('utf8', 0, at), end, isTorn: false }
      data = data.subarray(at + 1)
    }
    if (data.length > MOST_LINE) break
    rest = data
  }
  if (rest.length > 0) yield { text: rest.toString('utf8'), end: end + rest.length, isTorn: true }
}

export function parseEvent(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Where an event says that it stands. */
export function placeOf(event: JsonObject): ChainHead | undefined {
  const [attestation] = Array.isArray(event.attestation_list) ? event.attestation_list : []
  if (!isJsonObject(attestation) || !isJsonObject(attestation.fingerprint)) return undefined
  const { chain_uid: chain } = attestation
  const { value: fingerprint } = attestation.fingerprint
  const sequence = isJsonObject(event.metadata) ? event.metadata.sequence : undefined
  const { type_uid: type } = event
  if (typeof chain !== 'string' || typeof fingerprint !== 'string') return undefined
  if (typeof sequence !== 'number' || typeof type !== 'number') return undefined
  return { chain, sequence, fingerprint, type }
}

/** The last whole line of a file, without reading the file. */
export async function lastLine(file: string): Promise<string | undefined> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, MOST_LINE)
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    const end = buffer.lastIndexOf(10)
    return end === -1 ? undefined : buffer.toString('utf8', buffer.lastIndexOf(10, end - 1) + 1, end)
  } finally {
    await handle.close()
  }
}

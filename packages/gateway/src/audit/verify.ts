import { hash } from 'node:crypto'
import { canonicalJson, isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { type ChainHead, fingerprintJson, uidOf } from './thread/hash-chain.ts'
import { parseEvent, placeOf, readLines } from './read-events.ts'
import type { ChainEnd } from './retention.ts'
import { listSegments, type Segment } from './segments.ts'
import { isSigned } from './signing-key.ts'

export interface Fault {
  readonly file: string
  /** From 1 on. */
  readonly line?: number | undefined
  readonly problem: string
}

export interface VerifiedChain {
  readonly chain: string
  /** Events that are there. */
  readonly events: number
  /** The first and the last of them. */
  readonly from: number
  readonly to: number
  /** Signed heads that were checked. */
  readonly signed: number
  /** Its process ended in order. Otherwise it still writes, or was killed: what was not yet written is missing. */
  readonly isClosed: boolean
  /** The file ends in the middle of an event. */
  readonly isTorn: boolean
}

export interface Verified {
  readonly ok: boolean
  readonly chains: readonly VerifiedChain[]
  readonly faults: readonly Fault[]
}

export interface VerifyOptions {
  /** The public key that must have signed the heads. By default the key that the trail names. */
  readonly publicKey?: string | undefined
  /** Where chains end for sure, as the gateway that writes them says. */
  readonly heads?: readonly ChainEnd[]
  readonly signal?: AbortSignal | undefined
}

/** Faults that are listed; a trail that is broken everywhere needs no more. */
const MOST_FAULTS = 1000

/** Reads all chains of a folder and says what was changed, taken out, put in or moved. */
export async function verifyTrail(folder: string, options: VerifyOptions = {}): Promise<Verified> {
  const chains = new Map<string, Segment[]>()
  for (const segment of await listSegments(folder)) {
    chains.set(segment.chain, [...(chains.get(segment.chain) ?? []), segment])
  }
  const readers: ChainReader[] = []
  for (const [chain, segments] of chains) {
    const reader = new ChainReader(chain, options)
    for (const segment of segments) await reader.read(segment)
    reader.end(segments.at(-1)!)
    readers.push(reader)
  }
  const told = [...readers.flatMap(({ told }) => told), ...(options.heads ?? [])]
  const removed = readers.flatMap((reader) => reader.removed)
  const faults = [
    ...readers.flatMap((reader) => [...reader.faults, ...reader.missingBefore(removed)]),
    ...told.flatMap((end) => cutOff(end, readers, removed)),
  ]
  return {
    ok: faults.length === 0,
    chains: readers.map((reader) => reader.result),
    faults: faults.slice(0, MOST_FAULTS),
  }
}

/** An event that was told of elsewhere must be there, and be the same. */
function cutOff(end: ChainEnd, readers: readonly ChainReader[], removed: readonly ChainEnd[]): Fault[] {
  const { chain, sequence, fingerprint } = end
  const reader = readers.find((one) => one.result.chain === chain)
  if (removed.some((one) => one.chain === chain && one.sequence >= sequence)) return []
  if (!reader)
    return [{ file: `${chain}.*`, problem: `all events of a chain that had ${sequence} are missing` }]
  if (reader.result.to < sequence) {
    const problem = `events ${reader.result.to + 1} to ${sequence} are missing at the end`
    return [{ file: reader.lastFile, problem }]
  }
  const known = reader.fingerprints.get(sequence)
  if (known === undefined || known === fingerprint) return []
  return [{ file: reader.lastFile, problem: `event ${sequence} is not the one that was told of elsewhere` }]
}

class ChainReader {
  readonly faults: Fault[] = []
  /** Ends of other chains that events of this one tell of. */
  readonly told: ChainEnd[] = []
  readonly removed: ChainEnd[] = []
  /** The fingerprints of events that other chains may name: the last event of each file. */
  readonly fingerprints = new Map<number, string>()
  lastFile = ''
  readonly #chain: string
  readonly #options: VerifyOptions
  #first: { place: ChainHead; before: JsonObject | undefined; file: string } | undefined
  #last: ChainHead | undefined
  #events = 0
  #signed = 0
  #isClosed = false
  #isTorn = false
  #segment = 0

  constructor(chain: string, options: VerifyOptions) {
    this.#chain = chain
    this.#options = options
  }

  get result(): VerifiedChain {
    return {
      chain: this.#chain,
      events: this.#events,
      from: this.#first?.place.sequence ?? 0,
      to: this.#last?.sequence ?? 0,
      signed: this.#signed,
      isClosed: this.#isClosed,
      isTorn: this.#isTorn,
    }
  }

  async read({ file, number }: Segment): Promise<void> {
    this.lastFile = file
    if (this.#segment > 0 && number !== this.#segment + 1)
      this.#fault(file, undefined, `the files before it, from ${this.#segment + 1} on, are missing`)
    this.#segment = number
    let line = 0
    for await (const { text, isTorn } of readLines(file, 0, this.#options.signal)) {
      line++
      if (isTorn) this.#isTorn = true
      else this.#take(text, file, line)
    }
    if (this.#last) this.fingerprints.set(this.#last.sequence, this.#last.fingerprint)
  }

  end({ file }: Segment): void {
    if (this.#isTorn && this.#isClosed) this.#fault(file, undefined, 'something was added behind its end')
  }

  /** A fault when events before the first one are missing and retention has not removed them. */
  missingBefore(removed: readonly ChainEnd[]): Fault[] {
    const first = this.#first
    if (!first || first.place.sequence === 1) return []
    const { sequence } = first.place
    const known = removed.find((one) => one.chain === this.#chain && one.sequence === sequence - 1)
    if (known && known.fingerprint === fingerprintOf(first.before)) return []
    return [
      { file: first.file, line: 1, problem: `events 1 to ${sequence - 1} are missing at the beginning` },
    ]
  }

  #take(text: string, file: string, line: number): void {
    const event = parseEvent(text)
    const place = event && placeOf(event)
    if (!place || place.chain !== this.#chain) return this.#fault(file, line, 'this is no event of the chain')
    this.#events++
    if (this.#isClosed) this.#fault(file, line, 'it stands behind the end of the chain')
    if (!isUnchanged(event, text, place)) this.#fault(file, line, `event ${place.sequence} was changed`)
    const before = beforeOf(event)
    this.#first ??= { place, before, file }
    if (this.#last) this.#compare(place, before, file, line)
    this.#readMore(event, file, line)
    this.#last = place
  }

  #compare(place: ChainHead, before: JsonObject | undefined, file: string, line: number): void {
    const last = this.#last!
    const gap = place.sequence - last.sequence - 1
    if (gap > 0) {
      const which = gap === 1 ? `event ${last.sequence + 1} is` : `${gap} events are`
      this.#fault(file, line, `${which} missing before it`)
    } else if (gap < 0) this.#fault(file, line, `event ${place.sequence} stands in the wrong place`)
    else if (fingerprintOf(before) !== last.fingerprint || before?.uid !== uidOf(this.#chain, last.sequence))
      this.#fault(file, line, `event ${place.sequence} does not follow the one before it`)
  }

  #readMore(event: JsonObject, file: string, line: number): void {
    const more = isJsonObject(event.unmapped) ? event.unmapped : {}
    const operation = isJsonObject(event.api) ? event.api.operation : undefined
    if (operation === 'gateway/start') this.told.push(...endsIn(more.earlier))
    if (operation === 'audit/removed') this.removed.push(...endsIn(more.removed))
    if (operation === 'gateway/stop') this.#isClosed = true
    if (operation === 'gateway/stop' || operation === 'audit/head') this.#checkHead(more.head, file, line)
  }

  #checkHead(head: unknown, file: string, line: number): void {
    const { sequence, fingerprint, key, signature } = isJsonObject(head) ? head : {}
    const publicKey = this.#options.publicKey ?? String(key)
    const last = this.#last
    const isOfLast = last?.sequence === sequence && last?.fingerprint === fingerprint
    if (last && isOfLast && isSigned(last, String(signature), publicKey)) this.#signed++
    else this.#fault(file, line, 'the signature of the chain is not good')
  }

  #fault(file: string, line: number | undefined, problem: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push({ file, line, problem })
  }
}

/**
 * Whether the fingerprint matches the rest of the event. The exact text counts, too: if a member stands there twice,
 * readers would see different events.
 */
function isUnchanged(event: JsonObject, text: string, { fingerprint }: ChainHead): boolean {
  if (canonicalJson(event) !== text) return false
  const [attestation, ...others] = event.attestation_list as JsonObject[]
  const { fingerprint: made, ...rest } = attestation!
  // It is no part of what is hashed.
  if (canonicalJson(made) !== fingerprintJson(fingerprint)) return false
  const hashed = canonicalJson({ ...event, attestation_list: [rest, ...others] })
  return hash('sha256', hashed, 'hex') === fingerprint
}

function beforeOf(event: JsonObject): JsonObject | undefined {
  const [attestation] = event.attestation_list as JsonObject[]
  return isJsonObject(attestation?.prev_event) ? attestation.prev_event : undefined
}

function fingerprintOf(before: JsonObject | undefined): unknown {
  return isJsonObject(before?.fingerprint) ? before.fingerprint.value : undefined
}

function endsIn(value: unknown): ChainEnd[] {
  return (Array.isArray(value) ? value : []).filter(
    (end): end is ChainEnd =>
      isJsonObject(end) &&
      typeof end.chain === 'string' &&
      typeof end.sequence === 'number' &&
      typeof end.fingerprint === 'string',
  )
}

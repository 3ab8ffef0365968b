import { createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import {
  deriveExchange,
  isJsonObject,
  type Exchange,
  type InputResponses,
  type JsonObject,
  type Notification,
  type Outcome,
} from '@gantry/mcp/exchange'
import { essential, type RecordedExchange, type RecordingHeader } from './recording.ts'

type Mutable = {
  -readonly [K in keyof RecordedExchange]: RecordedExchange[K]
} & {
  notifications: (Notification & { after: number })[]
  rounds: NonNullable<RecordedExchange['rounds']>[number][]
}

/** Calls that wait for their next round, at most. */
const MAX_OPEN = 1000

/** Writes the exchanges of a target to a file, one exchange per line, to replay them as a mock. */
export class Recorder {
  readonly file: string
  readonly #stream: WriteStream
  readonly #began = Date.now()
  /** Exchanges between two rounds, by their `requestState`. */
  readonly #open = new Map<string, Mutable>()
  readonly #toJson: (value: unknown) => string
  exchanges = 0
  /** Rejects when the file cannot be written. */
  readonly opened: Promise<void>

  constructor(file: string, target: string, discovery: JsonObject, toJson: (value: unknown) => string) {
    this.file = file
    this.#toJson = toJson
    this.#stream = createWriteStream(file, { mode: 0o600 })
    this.opened = once(this.#stream, 'open').then(() => {})
    // A full disk ends the recording, not the gateway.
    this.#stream.on('error', () => {})
    const recordedAt = new Date().toISOString()
    const header: RecordingHeader = { recording: 'gantry', version: 1, target, recordedAt, discovery }
    this.#write(header)
  }

  /** Passes an exchange on and records it. Listening has no end, and is left out. */
  async handle(exchange: Exchange, send: (exchange: Exchange) => Promise<Outcome>): Promise<Outcome> {
    if (exchange.method === 'subscriptions/listen') return send(exchange)
    const entry = this.#entryOf(exchange)
    const outcome = await send(this.#watch(exchange, entry))
    if (outcome.type === 'input_required') this.#keep(entry, outcome)
    else this.#finish(entry, outcome)
    return outcome
  }

  #entryOf({ method, params }: Exchange): Mutable {
    const state = typeof params.requestState === 'string' ? params.requestState : undefined
    const known = state === undefined ? undefined : this.#open.get(state)
    if (known && state !== undefined) {
      this.#open.delete(state)
      const round = known.rounds.at(-1)
      if (round && isJsonObject(params.inputResponses)) {
        Object.assign(round, { responses: params.inputResponses as InputResponses })
      }
      return known
    }
    const at = Date.now() - this.#began
    const outcome: Outcome = { type: 'complete', result: {} }
    return { method, params: essential(params), at, duration: 0, notifications: [], rounds: [], outcome }
  }

  #watch(exchange: Exchange, entry: Mutable): Exchange {
    const { ask } = exchange
    return deriveExchange(exchange, {
      notify: (notification) => {
        entry.notifications.push({ ...notification, after: this.#age(entry) })
        exchange.notify(notification)
      },
      ask:
        ask &&
        (async (requests, signal) => {
          const responses = await ask(requests, signal)
          entry.rounds.push({ requests, responses })
          return responses
        }),
    })
  }

  #keep(entry: Mutable, outcome: Extract<Outcome, { type: 'input_required' }>): void {
    entry.rounds.push({ requests: outcome.inputRequests ?? {}, responses: {} })
    if (outcome.requestState === undefined) return
    this.#open.set(outcome.requestState, entry)
    const [oldest] = this.#open.keys()
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#open.delete(oldest)
  }

  #finish(entry: Mutable, outcome: Outcome): void {
    const { notifications, rounds, ...rest } = entry
    this.exchanges++
    this.#write({
      ...rest,
      duration: this.#age(entry),
      ...(notifications.length > 0 && { notifications }),
      ...(rounds.length > 0 && { rounds }),
      outcome: outcome.type === 'error' ? { type: 'error', error: outcome.error } : outcome,
    })
  }

  #age(entry: Mutable): number {
    return Date.now() - this.#began - entry.at
  }

  #write(line: object): void {
    this.#stream.write(`${this.#toJson(line)}\n`)
  }

  async close(): Promise<void> {
    if (this.#stream.closed) return
    this.#stream.end()
    await once(this.#stream, 'close')
  }
}

import {
  eraOf,
  LATEST_MODERN,
  complete,
  failure,
  INVALID_PARAMS,
  isJsonObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { Discovery } from '@gantry/mcp/server'
import type { ReplayTarget } from '../../model/index.ts'
import type { TargetConnection } from '../connected/target-connection.ts'
import { keyOf, readRecording, type RecordedExchange, type Recording } from './recording.ts'

/** A recorded session as a server: every request that was recorded gets the answer that it got then. */
export async function connectToRecording(model: ReplayTarget): Promise<TargetConnection> {
  const recording = await readRecording(model.file)
  const replay = new Replay(recording, model.speed)
  return {
    era: eraOf(LATEST_MODERN),
    version: LATEST_MODERN,
    discovery: recording.header.discovery as unknown as Discovery,
    transport: 'replay',
    handle: (exchange) => replay.handle(exchange),
    onClose: undefined,
    async close() {},
  }
}

class Replay {
  readonly #recording: Recording
  readonly #speed: number
  readonly #byKey = new Map<string, RecordedExchange[]>()
  readonly #played = new Map<string, number>()

  constructor(recording: Recording, speed: number) {
    this.#recording = recording
    this.#speed = speed
    for (const exchange of recording.exchanges) {
      const key = keyOf(exchange.method, exchange.params)
      this.#byKey.set(key, [...(this.#byKey.get(key) ?? []), exchange])
    }
  }

  async handle(exchange: Exchange): Promise<Outcome> {
    if (exchange.method === 'server/discover') return complete(this.#recording.header.discovery)
    if (exchange.method === 'subscriptions/listen') return this.#listen(exchange)
    const state = readState(exchange.params.requestState)
    const found = state ? this.#at(state.index) : this.#next(exchange)
    if (!found) return failure(this.#unknown(exchange))
    return this.#play(found, state?.round ?? 0, exchange)
  }

  /** The answers to one request come in their order; the last is given again and again. */
  #next({ method, params }: Exchange): RecordedExchange | undefined {
    const key = keyOf(method, params)
    const recorded = this.#byKey.get(key)
    if (!recorded) return undefined
    const turn = this.#played.get(key) ?? 0
    this.#played.set(key, turn + 1)
    return recorded[Math.min(turn, recorded.length - 1)]
  }

  #at(index: number): RecordedExchange | undefined {
    return this.#recording.exchanges[index]
  }

  /** Asks the recorded questions. The outcome is the recorded one, whatever the answers are. */
  async #play(recorded: RecordedExchange, from: number, exchange: Exchange): Promise<Outcome> {
    const rounds = recorded.rounds ?? []
    for (let round = from; round < rounds.length; round++) {
      const { requests } = rounds[round]!
      if (exchange.ask) await exchange.ask(requests, exchange.signal)
      else {
        const index = this.#recording.exchanges.indexOf(recorded)
        return {
          type: 'input_required',
          inputRequests: requests,
          requestState: `replay:${index}:${round + 1}`,
        }
      }
    }
    await this.#notify(recorded, exchange)
    await this.#pause(recorded.duration - (recorded.notifications?.at(-1)?.after ?? 0), exchange)
    return recorded.outcome
  }

  async #notify(recorded: RecordedExchange, exchange: Exchange): Promise<void> {
    const { _meta } = exchange.params
    const token = isJsonObject(_meta) ? _meta.progressToken : undefined
    let before = 0
    for (const { after, ...notification } of recorded.notifications ?? []) {
      await this.#pause(after - before, exchange)
      before = after
      if (notification.method !== 'notifications/progress') exchange.notify(notification)
      else if (token !== undefined) {
        exchange.notify({ ...notification, params: { ...notification.params, progressToken: token } })
      }
    }
  }

  async #pause(milliseconds: number, { signal }: Exchange): Promise<void> {
    const time = milliseconds * this.#speed
    if (time <= 0) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, time)
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          reject(signal.reason)
        },
        { once: true },
      )
    })
  }

  /** Nothing ever changes in a recording. */
  #listen(exchange: Exchange): Promise<Outcome> {
    exchange.notify({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {} },
    })
    return new Promise((resolve) => {
      exchange.signal.addEventListener('abort', () => resolve(complete({})), { once: true })
    })
  }

  #unknown({ method, params }: Exchange): ProtocolError {
    const known = [...this.#byKey.keys()].some((key) => key.startsWith(`${method} `))
    if (!known) return new ProtocolError(METHOD_NOT_FOUND, `Method not found in the recording: ${method}`)
    const name = typeof params.name === 'string' ? ` of ${params.name}` : ''
    const message = `The recording holds no ${method}${name} with these params`
    return new ProtocolError(INVALID_PARAMS, message)
  }
}

function readState(state: unknown): { index: number; round: number } | undefined {
  const found = typeof state === 'string' ? /^replay:(\d+):(\d+)$/.exec(state) : null
  return found ? { index: Number(found[1]), round: Number(found[2]) } : undefined
}

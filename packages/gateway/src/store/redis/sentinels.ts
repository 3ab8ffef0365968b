import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeClient, RedisClient, RedisHost, ScriptCall } from './redis-client.ts'

/** After the first Sentinel has answered: how long to wait for the others, in milliseconds. */
const PATIENCE = 200
const SWITCHED = '+switch-master'

export interface SentinelOptions {
  /** How the Sentinels call the server. */
  readonly name: string
  readonly sentinels: readonly NodeClient[]
  /** A client of the server at this place. */
  readonly clientOf: (host: RedisHost) => NodeClient
  /** Milliseconds between two questions to a Sentinel. */
  readonly interval: number
}

/** What a Sentinel says. Each failover has a higher epoch, so a Sentinel that is behind can be told. */
interface Named extends RedisHost {
  readonly epoch: number
}

/**
 * A client of the server that Sentinels name. It fails as soon as they name another server. We do not use the library's
 * client for that, because it sends a request again when the answer was lost, even if the request was carried out.
 */
export class SentinelClient extends EventEmitter implements RedisClient {
  readonly #options: SentinelOptions
  #server: NodeClient | undefined
  #named: Named | undefined
  #isDestroyed = false

  constructor(options: SentinelOptions) {
    super()
    this.#options = options
    // Each is connected again by itself.
    for (const sentinel of options.sentinels) sentinel.on('error', () => {})
  }

  async connect(): Promise<void> {
    const { clientOf } = this.#options
    const named = await this.#askAll()
    this.#named = named
    const server = clientOf(named)
    this.#server = server
    for (const event of ['end', 'terminated'] as const) server.on(event, () => this.emit(event))
    server.on('error', (error) => this.emit('error', error))
    const failed = once(this, 'error').then(([error]) => Promise.reject(error as Error))
    await Promise.race([server.connect(), failed])
    // Not every service permits the question.
    const facts = String(await server.info('replication').catch(() => ''))
    if (facts.includes('role:slave')) throw new Error('the Sentinels name a server that does not write')
  }

  /** The newest answer. One that is behind may be the first. */
  async #askAll(): Promise<Named> {
    const answers: Named[] = []
    const asked = this.#options.sentinels.map(async (sentinel) => {
      await sentinel.connect()
      answers.push(await this.#ask(sentinel))
      void this.#watch(sentinel)
    })
    await Promise.any(asked)
    await Promise.race([Promise.allSettled(asked), sleep(PATIENCE)])
    return newestOf(answers)
  }

  async #ask(sentinel: NodeClient): Promise<Named> {
    const said = await sentinel.sendCommand(['SENTINEL', 'MASTER', this.#options.name])
    const { ip, port, 'config-epoch': epoch } = said as Record<string, string>
    return { host: ip!, port: Number(port), epoch: Number(epoch) }
  }

  /** A Sentinel tells of a change at once. What it told while it could not be reached is asked for. */
  async #watch(sentinel: NodeClient): Promise<void> {
    const look = async (): Promise<void> => {
      const { host, port, epoch } = await this.#ask(sentinel)
      const named = this.#named
      if (!named || epoch <= named.epoch || (host === named.host && port === named.port)) return
      this.emit('error', new Error('the Sentinels name another server now'))
    }
    await sentinel.subscribe(SWITCHED, () => void look().catch(() => {})).catch(() => {})
    while (!this.#isDestroyed) {
      await look().catch(() => {})
      await sleep(this.#options.interval, undefined, { ref: false })
    }
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true
    for (const client of [this.#server, ...this.#options.sentinels]) {
      try {
        client?.destroy()
      } catch {
        // It was never open.
      }
    }
  }

  evalSha(sha: string, call: ScriptCall): Promise<unknown> {
    return this.#server!.evalSha(sha, call)
  }

  eval(script: string, call: ScriptCall): Promise<unknown> {
    return this.#server!.eval(script, call)
  }

  info(section: string): Promise<unknown> {
    return this.#server!.info(section)
  }

  subscribe(channel: string, listener: () => void): Promise<unknown> {
    return this.#server!.subscribe(channel, listener)
  }
}

function newestOf(answers: readonly Named[]): Named {
  return answers.reduce((one, other) => (other.epoch > one.epoch ? other : one))
}

import { McpError } from '@gantry/mcp/client'
import type { Exchange, Notification } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import { readAffinity } from './call-affinity.ts'
import { HeldCalls, type HeldCallsHost } from './held-calls.ts'
import type { Instance, InstanceHost } from './instance.ts'
import { InstancePool } from './instance-pool.ts'
import { OlderEra } from './older-era.ts'
import { LinkOpener, type OpenerServices } from './link-opener.ts'

export interface ConnectionsServices extends OpenerServices, Omit<HeldCallsHost, 'pool'> {}

export interface ConnectionsHost extends Omit<InstanceHost, 'model' | 'unused' | 'open'> {
  stderr(line: string): void
  notification(instance: Instance, notification: Notification): void
  /** The server asked on a channel that all calls of this connection share. */
  sharedQuestion(instance: Instance, exchange: Exchange | undefined): void
}

const LOOK_AGAIN = 50

/** The connections of one version of a target's entry. Old ones end when their calls have ended. */
export class Connections {
  model: TargetModel
  readonly pool: InstancePool
  readonly opener: LinkOpener
  readonly held: HeldCalls
  readonly olderEra: OlderEra = new OlderEra()
  /** Whether they are there instead of others, and have not worked yet. */
  #isUnproved: boolean
  readonly #listening = new Set<() => void>()
  #isClosed = false

  constructor(model: TargetModel, services: ConnectionsServices, host: ConnectionsHost, isChange: boolean) {
    this.model = model
    this.#isUnproved = isChange
    this.opener = new LinkOpener(model.name, services, {
      stderr: (line) => host.stderr(line),
      notification: (instance, notification) => host.notification(instance, notification),
      sharedQuestion: (instance, exchange) => host.sharedQuestion(instance, exchange),
      explain: (thrown) => (this.#isUnproved ? sinceChange(thrown) : thrown),
    })
    this.pool = new InstancePool(() => this.model, {
      ...host,
      open: (request) => this.opener.open(this.model, request),
      ready: (instance, link) => {
        this.#isUnproved = false
        if (instance.key === '') this.olderEra.note(this.model, link)
        host.ready(instance, link)
      },
    })
    this.held = new HeldCalls({ ...services, pool: this.pool })
  }

  setModel(model: TargetModel): void {
    this.model = model
    this.pool.configure()
  }

  get main(): Instance {
    return this.pool.get('')
  }

  /** Whether the exchange goes on with a call that began here. */
  owns(exchange: Exchange): boolean {
    const affinity = readAffinity(exchange)
    return affinity !== undefined && this.pool.find(affinity.key) !== undefined
  }

  /** `end` is called when listening has to begin anew elsewhere; the function returned takes that back. */
  listens(end: () => void): () => void {
    this.#listening.add(end)
    return () => void this.#listening.delete(end)
  }

  /** Closes them when nothing is under way any more, or when the time is over. Who listens goes elsewhere at once. */
  async retire(limit: number): Promise<void> {
    for (const end of [...this.#listening]) end()
    const until = Date.now() + limit
    while (!this.#isClosed && Date.now() < until && this.pool.all.some((instance) => instance.hasWork)) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN).unref())
    }
    await this.close()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.pool.close()
  }
}

/** What worked before does not: the reader should look at what was edited. */
function sinceChange(thrown: unknown): unknown {
  if (!(thrown instanceof McpError)) return thrown
  const { code, message, details } = thrown
  const told = `${message.replace(/\.$/, '')} (since its configuration was changed)`
  return new McpError(code, told, { details, cause: thrown.cause })
}

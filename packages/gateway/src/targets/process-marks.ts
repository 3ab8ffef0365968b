import { randomBytes } from 'node:crypto'
import { deriveExchange, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import { PROCESS_MARK } from './connected/elsewhere.ts'
import type { TargetConnection } from './connected/target-connection.ts'

export interface ProcessHost {
  /** The connections of a caller to a program, in both eras. None where tasks may outlive a connection. */
  connectionsOf(exchange: Exchange): readonly (TargetConnection | undefined)[]
  /** The id by which other gateways know this gateway; undefined when it works alone. */
  gateway(): string | undefined
  /** Asks another gateway about the target. Undefined: it is gone. */
  askAt(gateway: string, exchange: Exchange): Promise<Outcome | undefined>
}

/**
 * Marks the process that has the tasks of a caller, and the gateway that has the process. A process that is started
 * again counts its tasks anew, so an id from before would be the task of another. Empty where tasks may outlive a
 * connection.
 */
export class ProcessMarks {
  readonly #host: ProcessHost

  constructor(host: ProcessHost) {
    this.#host = host
  }

  /** The process that an exchange goes to, here or at another gateway. */
  async of(exchange: Exchange): Promise<string> {
    const at = this.#host.connectionsOf(exchange).find((connection) => connection?.at !== undefined)?.at
    return at === undefined ? this.here(exchange) : this.#at(at, exchange)
  }

  /** The same when the process is of this gateway. */
  here(exchange: Exchange): string {
    const connections = this.#host.connectionsOf(exchange)
    if (connections.length === 0) return ''
    return `${connections.map(connectionMark).join('.')}@${this.#host.gateway() ?? ''}`
  }

  /** Whether the process of an earlier mark is there still. */
  async isThere(before: string, exchange: Exchange): Promise<boolean> {
    const { marks, gateway } = parse(before)
    if (marks === '') return true
    const isHere = gateway === '' || gateway === this.#host.gateway()
    const now = parse(isHere ? this.here(exchange) : await this.#at(gateway, exchange))
    const present = now.marks.split('.')
    const isSame = marks.split('.').every((mark, at) => mark === '' || mark === present[at])
    return isSame && gateway === now.gateway
  }

  async #at(gateway: string, exchange: Exchange): Promise<string> {
    const question = deriveExchange(exchange, { method: PROCESS_MARK, params: {} })
    const answer = await this.#host.askAt(gateway, question).catch(() => undefined)
    return answer?.type === 'complete' ? String(answer.result.mark) : ''
  }
}

function parse(mark: string): { marks: string; gateway: string } {
  const [marks = '', gateway = ''] = mark.split('@', 2)
  return { marks, gateway }
}

const known = new WeakMap<TargetConnection, string>()

/** A random mark of a connection; empty when there is no connection. */
function connectionMark(connection: TargetConnection | undefined): string {
  if (!connection) return ''
  const mark = known.get(connection) ?? randomBytes(6).toString('base64url')
  known.set(connection, mark)
  return mark
}

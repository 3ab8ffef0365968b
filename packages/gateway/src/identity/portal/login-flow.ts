import type { Redirect } from '@gantry/mcp/auth'
import { samePrincipal, type Principal } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { digest } from '../secret-texts.ts'
import type { TargetModel } from '../../model/index.ts'
import type { Rows, Store } from '../../store/index.ts'
import { CALLBACK, type Accounts } from '../vault/accounts.ts'
import { Mailbox } from './mailbox.ts'

interface Flow {
  readonly principal: Principal
  readonly target: string
}

export interface FlowOptions {
  readonly store: Store
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

const PATIENCE = 10 * 60_000
const FINISH = 30_000

/**
 * The login of a person at the authorization server of a target. The process that begins it keeps what it takes to
 * redeem the code. The person may come back to another process, which passes the answer on.
 */
export class LoginFlow {
  readonly #flows: Rows
  readonly #mail: Mailbox
  readonly #options: FlowOptions
  readonly #closing = new AbortController()

  constructor(options: FlowOptions) {
    this.#options = options
    this.#mail = new Mailbox(options.store)
    const limits = { maxRows: 20_000, maxValueBytes: 8192 }
    this.#flows = options.store.rows({ name: 'connect-flows', secret: true, ...limits })
  }

  /** Resolves with the page to send the person to; rejects when the server cannot be used. */
  begin(accounts: Accounts, model: TargetModel, principal: Principal): Promise<string> {
    return new Promise((resolve, reject) => {
      let name: string | undefined
      const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE), this.#closing.signal])
      const redirect: Redirect = {
        uri: accounts.address + CALLBACK,
        open: async (url) => {
          name = digest(parseUrl(url)?.searchParams.get('state') ?? '')
          const flow: Flow = { principal, target: model.name }
          await this.#flows.put(name, JSON.stringify(flow), { ttl: PATIENCE })
          resolve(url)
        },
        waitForCode: async ({ signal: ended }) =>
          new URLSearchParams(await this.#mail.receive(`answer ${name}`, AbortSignal.any([signal, ended]))),
      }
      accounts.signIn(model, principal, redirect, signal).then(
        () => this.#tell(name, 'connected'),
        (error: unknown) => {
          reject(error)
          this.#options.log('warn', 'An account was not connected', {
            target: model.name,
            reason: error instanceof Error ? error.message : String(error),
            event: 'account-not-connected',
          })
          return this.#tell(name, 'failed')
        },
      )
    })
  }

  async #tell(name: string | undefined, outcome: string): Promise<void> {
    if (name !== undefined) await this.#mail.post(`outcome ${name}`, outcome).catch(() => {})
  }

  /** Called when the person comes back. A state can be used once, and only by the person who began. */
  async finish(
    answer: URLSearchParams,
    principal: Principal,
  ): Promise<{ outcome: 'connected' | 'failed' | 'ended' | 'foreign'; target?: string }> {
    const name = digest(answer.get('state') ?? '')
    const row = await this.#flows.take(name)
    if (!row) {
      this.#options.log('warn', 'An account was not connected', {
        reason: 'nobody has begun this login, or it was finished already',
        event: 'account-not-connected',
      })
      return { outcome: 'ended' }
    }
    const { principal: owner, target } = JSON.parse(row.value) as Flow
    if (!samePrincipal(owner, principal)) {
      this.#options.log('warn', 'An account was not connected', {
        target,
        reason: 'another person came back than the one who began',
        event: 'account-not-connected',
      })
      return { outcome: 'foreign', target }
    }
    await this.#mail.post(`answer ${name}`, answer.toString())
    const patience = AbortSignal.any([AbortSignal.timeout(FINISH), this.#closing.signal])
    const outcome = await this.#mail.receive(`outcome ${name}`, patience).catch(() => 'failed')
    return { outcome: outcome === 'connected' ? 'connected' : 'failed', target }
  }

  close(): void {
    this.#closing.abort()
  }
}

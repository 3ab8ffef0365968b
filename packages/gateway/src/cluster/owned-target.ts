import {
  ASKS_IN_ROUNDS,
  complete,
  deriveExchange,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  MODERN_REVISIONS,
  ProtocolError,
  type Continuations,
  type Exchange,
  type Outcome,
  type Served,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import { toFailure } from '../chain/to-failure.ts'
import type { Spoken, TargetConnection } from '../targets/connected/target-connection.ts'
import { FAILED, PROCESS_MARK, SPOKEN } from '../targets/connected/elsewhere.ts'
import { TargetError } from '../targets/target-error.ts'
import type { Target } from '../targets/target.ts'
import type { Passport } from './passport.ts'

export interface OwnedTargetHost {
  readonly info: Implementation
  readonly continuations: Continuations
  target(name: string): Target | undefined
  passportOf(exchange: Exchange, target: string): Passport | undefined
  readonly onError: (thrown: unknown) => void
}

/** A target whose connections are here, for the other gateways: they send what their own target would be sent. */
export class OwnedTarget implements Served {
  readonly info: Implementation
  readonly revisions: typeof MODERN_REVISIONS = MODERN_REVISIONS
  /** Numbers that pass through keep their digits. */
  readonly numbers = 'source'
  readonly onInternalError: (thrown: unknown) => void
  readonly #name: string
  readonly #host: OwnedTargetHost

  constructor(name: string, host: OwnedTargetHost) {
    this.#name = name
    this.#host = host
    this.info = host.info
    this.onInternalError = host.onError
  }

  readonly respond = async (exchange: Exchange): Promise<Outcome> => {
    try {
      return await this.#send(exchange)
    } catch (thrown) {
      return toFailure(thrown)
    }
  }

  async #send(exchange: Exchange): Promise<Outcome> {
    const target = this.#host.target(this.#name)
    const passport = this.#host.passportOf(exchange, this.#name)
    if (!target || !passport) throw new TargetError(this.#name, 'disabled', 'There is no such target here')
    if (exchange.method === 'server/discover') return discover(target)
    if (passport.own) return target.handleOwn(exchange)
    const { session, older, safe = false, asTask } = passport
    const own = deriveExchange(exchange, { session, asTask })
    if (exchange.method === PROCESS_MARK) return complete({ mark: target.processes.here(own) })
    return this.#resume(target, own) ?? target.handle(own, { safe, ...(older && { older }) })
  }

  /** Goes on with a call that waits here for the answers of its caller. */
  #resume(target: Target, exchange: Exchange): Promise<Outcome> | undefined {
    const { continuations } = this.#host
    const { requestState } = exchange.params
    const call = typeof requestState === 'string' ? continuations.find(requestState) : undefined
    if (!call) return undefined
    if (!call.accepts(exchange)) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid requestState: it belongs to another call')
    }
    continuations.take(requestState as string)
    return target.resume(call, exchange)
  }
}

async function discover(target: Target): Promise<Outcome> {
  const { discovery, era, version, transport } = await connectionOf(target)
  const spoken: Spoken = { era, version, transport, eras: target.olderEra.description }
  return complete({
    ...discovery,
    supportedVersions: [...MODERN_REVISIONS],
    ttlMs: 0,
    cacheScope: 'private',
    // The owner sees to it that questions are asked, whatever its server speaks.
    _meta: { ...discovery._meta, [ASKS_IN_ROUNDS]: true, [SPOKEN]: { ...spoken } },
  })
}

/** Other gateways get the failure itself, so that they can show it to their operators, as this gateway does. */
async function connectionOf(target: Target): Promise<TargetConnection> {
  try {
    return await target.main.acquire()
  } catch (thrown) {
    const cause = (thrown as Error).cause ?? thrown
    const { reason } = TargetError.from(target.name, cause)
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new ProtocolError(INTERNAL_ERROR, 'The target cannot be used', { [FAILED]: { reason, message } })
  }
}

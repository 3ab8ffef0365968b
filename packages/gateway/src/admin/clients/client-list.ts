import {
  eraOf,
  describePrincipal,
  samePrincipal,
  type LegacySession,
  type Principal,
} from '@gantry/mcp/exchange'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import type { KnownClient } from '../../telemetry/stats.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { ClientList, ClientRow, InFlightCall } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { publicId } from '../public-id.ts'

/** Modern requests stand alone. A client that has sent no request for this long counts as gone. */
const FORGET_AFTER = 10 * 60_000
const AWAY_AFTER = 60_000

interface Connected {
  readonly kind: 'session' | 'sse'
  readonly session: LegacySession
  readonly principal: Principal | undefined
  readonly target: string | undefined
  readonly lastSeen: number | undefined
  readonly hasConnection: boolean
  end(): void
}

export class Clients {
  readonly #host: AdminHost

  constructor(host: AdminHost) {
    this.#host = host
  }

  get count(): number {
    return this.list().clients.filter(({ connected }) => connected).length
  }

  list(): ClientList {
    const { exchanges } = this.#host.gateway
    const connected = this.#connected()
    const rows = connected.map((one) => this.#connectedRow(one))
    const shown = new Set(connected.map(({ session }) => session.id))
    for (const known of exchanges.clients.values()) {
      const isOver = known.session !== undefined && known.reach !== 'pipe'
      if (shown.has(known.key) || isOver || Date.now() - known.lastSeen > FORGET_AFTER) continue
      rows.push(this.#knownRow(known))
    }
    return { clients: rows.sort((a, b) => b.lastSeen - a.lastSeen) }
  }

  #connected(): Connected[] {
    const found: Connected[] = []
    for (const [endpoint, { service }] of this.#host.front?.handlers ?? []) {
      const target = endpoint === '' ? undefined : endpoint
      for (const one of service.sessions.all.values()) {
        const { session, principal, lastSeen } = one
        found.push({
          kind: 'session',
          session,
          principal,
          target,
          lastSeen,
          hasConnection: one.busy,
          end: () => void service.endSession(one),
        })
      }
      for (const one of service.sseSessions) {
        const { session, principal } = one
        found.push({
          kind: 'sse',
          session,
          principal,
          target,
          lastSeen: undefined,
          hasConnection: true,
          end: () => one.close(),
        })
      }
    }
    return found
  }

  #connectedRow({ kind, session, principal, target, lastSeen, hasConnection }: Connected): ClientRow {
    const known = this.#host.gateway.exchanges.clients.get(session.id)
    const seen = Math.max(lastSeen ?? 0, known?.lastSeen ?? 0) || Date.now()
    return {
      ...describe(session.client, principal),
      id: publicId(session.id),
      kind,
      ...(target !== undefined && { target }),
      since: known?.since ?? seen,
      lastSeen: seen,
      requests: known?.requests ?? 0,
      inFlight: this.#inFlight((record) => record.client.session === session.id),
      canDisconnect: true,
      connected: hasConnection || Date.now() - seen < AWAY_AFTER,
    }
  }

  #knownRow(known: KnownClient): ClientRow {
    const { client, principal } = known
    const isSame = ({ client: other }: ExchangeRecord): boolean =>
      known.session === undefined
        ? other.session === undefined &&
          other.name === client.info?.name &&
          samePrincipal(other.principal, principal) &&
          other.version === client.version
        : other.session === known.session
    return {
      ...describe(client, principal),
      id: publicId(known.key),
      kind: known.reach === 'playground' ? 'playground' : known.reach === 'pipe' ? 'stdio' : 'stateless',
      since: known.since,
      lastSeen: known.lastSeen,
      requests: known.requests,
      inFlight: this.#inFlight(isSame),
      canDisconnect: false,
      connected: true,
    }
  }

  #inFlight(matches: (record: ExchangeRecord) => boolean): InFlightCall[] {
    const calls: InFlightCall[] = []
    for (const record of this.#host.gateway.exchanges.running) {
      // A client that listens for changes is not waiting for anything.
      if (record.method !== 'subscriptions/listen' && matches(record)) calls.push(presentCall(record))
    }
    return calls
  }

  get handlers(): Pick<Handlers, 'clients' | 'disconnectClient' | 'cancelExchange'> {
    return {
      clients: () => this.list(),
      disconnectClient: ({ params }) => {
        this.#disconnect(params.id)
        return { ok: true }
      },
      cancelExchange: ({ params, caller }) => {
        this.#cancel(params.id, caller.principal)
        return { ok: true }
      },
    }
  }

  #disconnect(id: string): void {
    const connected = this.#connected().find(({ session }) => publicId(session.id) === id)
    if (connected) {
      connected.end()
      this.#host.gateway.exchanges.clients.forget(connected.session.id)
      return
    }
    throw new ApiError('not_found', 'This client has no session that could be ended', {
      fix: 'Cancel its calls instead: modern requests stand alone.',
    })
  }

  #cancel(id: number, by: string): void {
    const { gateway } = this.#host
    const record = gateway.exchanges.find(id)
    if (record?.status !== 'running') throw new ApiError('gone', `Request ${id} is over`)
    const target = record.target === undefined ? undefined : gateway.target(record.target)
    const reason = `The call was cancelled at the gateway by ${by}`
    if (target?.calls.cancel(record, reason)) return
    throw new ApiError('conflict', 'This request is at no target now, so there is nothing to cancel', {
      fix: 'Try again in a moment, or disconnect the client.',
    })
  }
}

function describe(
  { info, capabilities, version }: LegacySession['client'],
  principal: Principal | undefined,
): Pick<ClientRow, 'era' | 'revision' | 'info' | 'capabilities' | 'principal'> {
  return {
    era: eraOf(version),
    revision: version,
    ...(info && {
      info: {
        name: String(info.name),
        version: String(info.version),
        ...(info.title !== undefined && { title: String(info.title) }),
      },
    }),
    capabilities: capabilities as ClientRow['capabilities'],
    ...(principal !== undefined && { principal: describePrincipal(principal) }),
  }
}

function presentCall(record: ExchangeRecord): InFlightCall {
  return {
    id: record.id,
    method: record.method,
    ...(record.name !== undefined && { name: record.name }),
    ...(record.target !== undefined && { target: record.target }),
    startedAt: record.at,
    elapsed: Date.now() - record.at,
  }
}

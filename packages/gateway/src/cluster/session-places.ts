import { createHash } from 'node:crypto'
import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import { parseUrl } from '@gantry/mcp/foreign'
import { MISDIRECTED } from '../targets/connected/elsewhere.ts'
import { passOn } from '../workers/pass-on.ts'
import type { AskedSession, Passed, SessionRouter } from '../workers/session-router.ts'
import type { Rows, Store } from '../store/index.ts'
import type { HopTls } from './hop-tls.ts'
import type { Members } from './members.ts'
import { PASSPORT, type Passports } from './passport.ts'

/** What a passport is for when a request of a session is passed on. No target has this name. */
export const SESSION = '/session'

/** How long the gateway of a session is looked for: one that is gone is noticed before. */
const WAIT = 10_000
const PAUSE = 100
/** How long the gateway that took a session over is remembered: as long as the session's id is valid. */
const TAKEN_FOR = 7 * 24 * 3_600_000
/** Sessions whose new gateways are remembered, so that their requests do not need the store. */
const MOST_KNOWN = 20_000

export interface SessionPlacesOptions {
  readonly store: Store
  readonly members: Pick<Members, 'id' | 'isLate' | 'others' | 'addressOf' | 'lastAddressOf' | 'untilGone'>
  readonly passports: Passports
  readonly tls?: HopTls | undefined
}

/** A gateway that has a session. */
interface Place {
  readonly id: string
  readonly address: string
}

/**
 * Which gateway has a session of an older client. Its id says which one began it, signed, so that nobody makes
 * gateways look for what never was. When that one is gone, the first that is asked takes the session over: the id
 * carries what it has to know.
 */
export class SessionPlaces implements SessionRouter {
  readonly #members: SessionPlacesOptions['members']
  readonly #passports: Passports
  readonly #tls: HopTls | undefined
  readonly #taken: Rows
  /** The gateways of sessions that were taken over, when they were last looked up. */
  readonly #known = new Map<string, string>()
  /** Connections to other gateways are kept. A passport names its gateway, so that none takes what was for another. */
  readonly #agent: Agent

  constructor({ store, members, passports, tls }: SessionPlacesOptions) {
    this.#tls = tls
    this.#agent = new (tls ? TlsAgent : Agent)({ keepAlive: true })
    this.#members = members
    this.#passports = passports
    this.#taken = store.rows({ name: 'sessions' })
  }

  mark(session: string): string {
    const marked = `${session}~${this.#members.id}`
    return `${marked}~${this.#passports.stamp(marked)}`
  }

  isElsewhere({ id }: AskedSession): boolean {
    const begunAt = this.#beganAt(id)
    return begunAt !== undefined && begunAt !== this.#members.id
  }

  #beganAt(session: string): string | undefined {
    const [, marked, gateway, stamp] = /^(.*~([\w-]+))~([\w-]+)$/s.exec(session) ?? []
    return marked !== undefined && this.#passports.isStamp(stamp!, marked) ? gateway : undefined
  }

  passOn(session: AskedSession, { request, response, certified }: Passed, here: () => void): void {
    const until = Date.now() + WAIT
    /** Gateways whose address another gateway has now. */
    const left = new Set<string>()
    const attempt = async (): Promise<void> => {
      const place = await this.#find(session, left)
      if (place) to(place)
      else here()
    }
    const to = (place: Place, asked?: Set<string>): void => {
      if (response.destroyed) return
      const { hostname, port } = parseUrl(place.address) ?? {}
      const begun = asked !== undefined
      const passport = this.#passports.sign({ target: SESSION, to: place.id, begun, certified })
      const path = `${SESSION}${request.url}`
      const added = [PASSPORT, passport]
      const untilGone = (end: () => void): (() => void) => this.#members.untilGone(place.id, end)
      const options = { hostname, port, path, added, untilGone, agent: this.#agent, tls: this.#tls?.asClient }
      passOn(request, response, options, (status) => {
        if (asked) return askAround(asked.add(place.id))
        if (status !== MISDIRECTED) return again()
        left.add(place.id)
        start()
      })
    }
    /** Without the store only the gateway that has the session can say so. */
    const askAround = (asked: Set<string>): void => {
      const id = this.#members.others.find((other) => !left.has(other) && !asked.has(other))
      const address = id === undefined ? undefined : this.#members.lastAddressOf(id)
      if (address === undefined) again()
      else to({ id: id!, address }, asked)
    }
    const again = (): void => {
      if (response.destroyed) return
      if (Date.now() < until) return void setTimeout(start, PAUSE)
      const headers = { 'content-type': 'text/plain', 'retry-after': '1' }
      response.writeHead(503, headers).end('The gateway of this session is not there. Try again.\n')
    }
    const start = (): void => void attempt().catch(() => askAround(new Set()))
    const last = this.#known.get(session.id) ?? this.#beganAt(session.id)!
    if (last === this.#members.id && !this.#members.isLate) return here()
    const address = this.#members.lastAddressOf(last)
    // Most often it is where it was: the store is asked only when it is not.
    if (address === undefined) start()
    else to({ id: last, address })
  }

  /** Undefined: it is here now. */
  async #find({ id, isStream }: AskedSession, left: ReadonlySet<string>): Promise<Place | undefined> {
    const placeOf = async (gateway: string): Promise<Place | undefined> =>
      left.has(gateway) ? undefined : this.#placeOf(gateway)
    // With its gateway the stream of such a session is gone as well.
    if (isStream) return placeOf(this.#beganAt(id)!)
    const key = createHash('sha256').update(id).digest('base64url')
    for (;;) {
      const own = this.#members.id
      const row = await this.#taken.get(key)
      const place = row?.value === own ? undefined : await placeOf(row?.value ?? this.#beganAt(id)!)
      if (!place && row?.value !== own) {
        const version = await this.#taken.swap(key, row?.version, own, { ttl: TAKEN_FOR })
        if (version === undefined) continue
      }
      if (this.#known.size >= MOST_KNOWN) this.#known.clear()
      this.#known.set(id, place?.id ?? own)
      return place
    }
  }

  async #placeOf(id: string): Promise<Place | undefined> {
    const address = await this.#members.addressOf(id)
    return address === undefined ? undefined : { id, address }
  }
}

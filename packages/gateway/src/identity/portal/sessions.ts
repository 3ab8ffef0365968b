import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AuthInfo } from '@gantry/mcp/exchange'
import { cookieOf, digest } from '../secret-texts.ts'
import type { Rows, Store } from '../../store/index.ts'

const COOKIE = 'gantry-connect'
/** Short, so that a person who follows a link much later has to log in again. */
const LIFETIME = 15 * 60_000

export interface PortalSession {
  readonly id: string
  readonly auth: AuthInfo
  /** Belongs into every form: other sites cannot know it. */
  readonly proof: string
}

/** The sessions of people who have logged in lately, each in one browser. */
export class PortalSessions {
  readonly #rows: Rows
  readonly #isSecure: () => boolean

  constructor(store: Store, isSecure: () => boolean) {
    this.#isSecure = isSecure
    const limits = { maxRows: 20_000, maxValueBytes: 64 * 1024 }
    this.#rows = store.rows({ name: 'connect-sessions', secret: true, ...limits })
  }

  /** Returns the cookie. Every sign-in gets a new cookie, so that an attacker cannot plant a cookie in advance. */
  async open(auth: AuthInfo): Promise<string> {
    const id = randomBytes(24).toString('base64url')
    await this.#rows.put(digest(id), JSON.stringify(auth), { ttl: LIFETIME })
    return this.#cookie(id, LIFETIME / 1000)
  }

  async find(request: IncomingMessage): Promise<PortalSession | undefined> {
    const id = cookieOf(request, COOKIE)
    if (!/^[\w-]{32}$/.test(id)) return undefined
    const row = await this.#rows.get(digest(id)).catch(() => undefined)
    return row && { id, auth: JSON.parse(row.value) as AuthInfo, proof: digest(`proof ${id}`) }
  }

  /** Returns the cookie that takes its place. */
  async close({ id }: PortalSession): Promise<string> {
    await this.#rows.remove(digest(id))
    return this.#cookie('', 0)
  }

  /** `Lax`: authorization servers send people back with it. Forms need the proof besides. */
  #cookie(value: string, seconds: number): string {
    const secure = this.#isSecure() ? '; Secure' : ''
    return `${COOKIE}=${value}; Path=/connect; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`
  }
}

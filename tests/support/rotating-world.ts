import { Server, tool } from '@gantry/mcp/server'
import {
  TestServer,
  type Answer,
  type Seen,
} from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
import { serveHttp, type HttpTarget } from './http-targets.ts'

const GRACE = 60_000

/** A refresh token that was shown and taken. */
export interface Redemption {
  readonly token: string
  /** The process that showed it, where it says so. */
  readonly by: number
  /** When it arrived. */
  readonly shownAt: number
  /** When the answer was sent: nobody can have stored it before. */
  answeredAt: number
  /** When the access token that it gave was seen first. */
  usedAt: number
}

/**
 * A server that wants a login, and its authorization server: every refresh token works once. One that is shown again
 * within a minute gives the same successor again, for clients that lost the answer.
 */
export class RotatingWorld {
  readonly as: TestServer = new TestServer()
  web!: HttpTarget
  /** Who logs in next. */
  account = 'ann'
  /** Seconds that access tokens last. */
  expiresIn = 3600
  /** Runs between redeeming and answering, and is told which process redeems. */
  answering: (redemption: Redemption) => Promise<void> = async () => {}
  /** Runs before every answer of the two servers. */
  delay: () => Promise<void> = async () => {}
  /** How many generations of tokens there were, how many were refused, and every refresh token that was shown. */
  generations = 0
  refused = 0
  readonly redemptions: Redemption[] = []
  readonly revoked: string[] = []
  /** The subject tokens that were exchanged. */
  readonly exchanged: URLSearchParams[] = []
  /** When access tokens end. */
  readonly #ends = new Map<string, number>()
  readonly #unused = new Map<string, Redemption>()
  readonly #codes = new Map<string, string>()
  readonly #refresh = new Map<string, { account: string; usedAt?: number; next?: object }>()
  #count = 0

  async start(): Promise<this> {
    await this.as.start()
    const who = tool({
      run: async (_, ctx) => {
        await this.delay()
        return String(ctx.exchange.headers?.authorization)
      },
    })
    const tools = { who }
    this.web = await serveHttp(new Server({ name: 'web', tools }))
    const resource = { resource: this.web.url, authorization_servers: [this.as.url] }
    const metadata = `${new URL(this.web.url).origin}/.well-known/oauth-protected-resource/mcp`
    this.web.intercept = (request, response) => {
      if (request.url?.startsWith('/.well-known/')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(resource))
        return true
      }
      const [, shown = ''] = /^Bearer (at\..+)$/.exec(request.headers.authorization ?? '') ?? []
      this.#use(shown)
      if ((this.#ends.get(shown) ?? 0) > Date.now()) return false
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
      return true
    }
    const { url } = this.as
    const document = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      registration_endpoint: `${url}/register`,
      revocation_endpoint: `${url}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    }
    this.as.on('GET /.well-known/oauth-authorization-server', () => ({ json: document }))
    this.as.on('POST /register', () => ({ status: 201, json: { client_id: `client-${++this.#count}` } }))
    this.as.on('GET /authorize', (seen) => this.#authorize(seen))
    this.as.on('POST /token', (seen) => this.#token(seen))
    this.as.on('POST /revoke', ({ form }) => {
      this.revoked.push(form.get('token') ?? '')
      return { text: '' }
    })
    return this
  }

  async stop(): Promise<void> {
    await Promise.all([this.as.stop(), this.web.close()])
  }

  #use(accessToken: string): void {
    const redemption = this.#unused.get(accessToken)
    if (redemption) redemption.usedAt = Date.now()
    this.#unused.delete(accessToken)
  }

  #authorize({ query }: Seen): Answer {
    const code = `code-${++this.#count}`
    this.#codes.set(code, this.account)
    const back = new URL(query.get('redirect_uri')!)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state')!)
    return { status: 302, headers: { location: back.href } }
  }

  async #token({ form, headers }: Seen): Promise<Answer> {
    if (form.get('grant_type')?.endsWith('token-exchange')) {
      this.exchanged.push(form)
      const token = `at.exchanged.${++this.#count}`
      this.#ends.set(token, Date.now() + 3_600_000)
      return { json: { access_token: token, token_type: 'Bearer', issued_token_type: 'x', expires_in: 3600 } }
    }
    if (form.get('grant_type') === 'authorization_code') {
      const account = this.#codes.get(form.get('code')!)
      this.#codes.delete(form.get('code')!)
      return account === undefined ? this.#refuse() : { json: this.#mint(account) }
    }
    const shownAt = Date.now()
    await this.delay()
    const refreshToken = form.get('refresh_token') ?? ''
    const shown = this.#refresh.get(refreshToken)
    if (!shown || (shown.usedAt !== undefined && Date.now() - shown.usedAt > GRACE)) return this.#refuse()
    const redemption: Redemption = {
      token: refreshToken,
      by: Number(headers['x-process'] ?? 0),
      shownAt,
      answeredAt: Number.POSITIVE_INFINITY,
      usedAt: Number.POSITIVE_INFINITY,
    }
    this.redemptions.push(redemption)
    if (!shown.next) {
      shown.usedAt = Date.now()
      shown.next = this.#mint(shown.account)
      this.generations++
    }
    const accessToken = this.#accessToken(shown.account)
    this.#unused.set(accessToken, redemption)
    const answer = { ...shown.next, access_token: accessToken }
    await this.delay()
    await this.answering(redemption)
    redemption.answeredAt = Date.now()
    return { json: answer }
  }

  #refuse(): Answer {
    this.refused++
    return { status: 400, json: { error: 'invalid_grant' } }
  }

  #mint(account: string): object {
    const refreshToken = `rt.${account}.${++this.#count}`
    this.#refresh.set(refreshToken, { account })
    return {
      access_token: this.#accessToken(account),
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: this.expiresIn,
    }
  }

  #accessToken(account: string): string {
    const token = `at.${account}.${++this.#count}`
    this.#ends.set(token, Date.now() + this.expiresIn * 1000)
    return token
  }
}

import { Server, tool } from '@gantry/mcp/server'
import {
  TestServer,
  type Answer,
  type Seen,
} from '../../packages/mcp/src/auth/fixtures/auth-world.test.node.ts'
import { serveHttp, type HttpTarget } from './http-targets.ts'

const GRACE = 60_000

/**
 * A server that wants a login, and its authorization server: every refresh token works once. One that is shown again
 * within a minute gives the same successor, for clients that lost the answer.
 */
export class RotatingWorld {
  readonly as: TestServer = new TestServer()
  web!: HttpTarget
  /** Who logs in next. */
  account = 'ann'
  /** Seconds that access tokens last. */
  expiresIn = 3600
  /** Runs between redeeming and answering. */
  answering: (account: string) => Promise<void> = async () => {}
  /** How many generations of tokens there were, refresh tokens shown again, and those that were refused. */
  generations = 0
  replays = 0
  refused = 0
  readonly revoked: string[] = []
  /** The subject tokens that were exchanged. */
  readonly exchanged: URLSearchParams[] = []
  readonly #codes = new Map<string, string>()
  readonly #refresh = new Map<string, { account: string; usedAt?: number; next?: object }>()
  #count = 0

  async start(): Promise<this> {
    await this.as.start()
    const tools = { who: tool({ run: (_, ctx) => String(ctx.exchange.headers?.authorization) }) }
    this.web = await serveHttp(new Server({ name: 'web', tools }))
    const resource = { resource: this.web.url, authorization_servers: [this.as.url] }
    const metadata = `${new URL(this.web.url).origin}/.well-known/oauth-protected-resource/mcp`
    this.web.intercept = (request, response) => {
      if (request.url?.startsWith('/.well-known/')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(resource))
        return true
      }
      if (/^Bearer at\./.test(request.headers.authorization ?? '')) return false
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

  #authorize({ query }: Seen): Answer {
    const code = `code-${++this.#count}`
    this.#codes.set(code, this.account)
    const back = new URL(query.get('redirect_uri')!)
    back.searchParams.set('code', code)
    back.searchParams.set('state', query.get('state')!)
    return { status: 302, headers: { location: back.href } }
  }

  async #token({ form }: Seen): Promise<Answer> {
    if (form.get('grant_type')?.endsWith('token-exchange')) {
      this.exchanged.push(form)
      const token = `at.exchanged.${++this.#count}`
      return { json: { access_token: token, token_type: 'Bearer', issued_token_type: 'x', expires_in: 3600 } }
    }
    if (form.get('grant_type') === 'authorization_code') {
      const account = this.#codes.get(form.get('code')!)
      this.#codes.delete(form.get('code')!)
      return account === undefined ? this.#refuse() : { json: this.#mint(account) }
    }
    const shown = this.#refresh.get(form.get('refresh_token') ?? '')
    if (!shown || (shown.usedAt !== undefined && Date.now() - shown.usedAt > GRACE)) return this.#refuse()
    if (shown.next) {
      this.replays++
      return { json: shown.next }
    }
    shown.usedAt = Date.now()
    shown.next = this.#mint(shown.account)
    this.generations++
    await this.answering(shown.account)
    return { json: shown.next }
  }

  #refuse(): Answer {
    this.refused++
    return { status: 400, json: { error: 'invalid_grant' } }
  }

  #mint(account: string): object {
    const count = ++this.#count
    this.#refresh.set(`rt.${account}.${count}`, { account })
    return {
      access_token: `at.${account}.${count}`,
      refresh_token: `rt.${account}.${count}`,
      token_type: 'Bearer',
      expires_in: this.expiresIn,
    }
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { describePrincipal, type AuthInfo } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import type { Guard } from '@gantry/mcp/server'
import { isSameSecret } from '../secret-texts.ts'
import { decodePercent, type TargetModel } from '../../model/index.ts'
import { nameOfPerson } from '../name-of-person.ts'
import { readForm } from '../read-form.ts'
import { consentOf } from '../sign-in/consent-return.ts'
import { sendPage } from '../sign-in/pages.ts'
import type { SignInServer } from '../sign-in/sign-in-server.ts'
import { CALLBACK, CLIENT_DOCUMENT } from '../vault/accounts.ts'
import type { LazyAccounts } from '../vault/lazy-accounts.ts'
import { placeOf, samePlace } from '../vault/place-of.ts'
import type { VaultRow } from '../vault/vault.ts'
import { LoginFlow, type FlowOptions } from './login-flow.ts'
import { listPage, noticePage, signInPage, targetPage, type Connectable } from './pages.ts'
import { PortalSessions, type PortalSession } from './sessions.ts'

export interface PortalOptions extends FlowOptions {
  readonly accounts: LazyAccounts
  guard(): Guard | undefined
  signIn(): SignInServer | undefined
  /** Targets with accounts of people that this caller may know. */
  targets(auth: AuthInfo): readonly TargetModel[]
}

type Answer = (request: IncomingMessage, response: ServerResponse, session: PortalSession) => Promise<void>

const LONGEST_SECRET = 8 * 1024

/** `/connect`: what people have connected, and how they do that. */
export class Portal {
  readonly #options: PortalOptions
  readonly #sessions: PortalSessions
  readonly #flow: LoginFlow

  constructor(options: PortalOptions) {
    this.#options = options
    this.#sessions = new PortalSessions(options.store, () => options.accounts.address.startsWith('https:'))
    this.#flow = new LoginFlow(options)
  }

  close(): void {
    this.#flow.close()
  }

  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    try {
      await this.#route(request, response, path)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#options.log('warn', 'The page of accounts failed', { reason, event: 'portal-failed' })
      if (response.headersSent) response.destroy()
      else sendPage(response, 500, noticePage('Something went wrong', 'The log of the gateway says what.'))
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { method } = request
    if (path === CLIENT_DOCUMENT) return this.#document(response)
    if (path === '/connect/sign-in') return this.#signIn(request, response)
    if (path === '/connect/signed-in') return this.#signedIn(request, response)
    if (!this.#options.guard()) {
      const what = 'This gateway does not ask who its callers are, so nobody can have an account here.'
      return sendPage(response, 404, noticePage('There are no accounts', what))
    }
    const session = await this.#sessions.find(request)
    if (!session) return this.#askWho(request, response, path)
    const [, , action, name = ''] = path.split('/')
    if (method === 'GET' && path === CALLBACK) return this.#back(request, response, session)
    if (method === 'GET' && path === '/connect') return this.#list(request, response, session)
    if (method === 'GET' && action === 'go') return this.#go(response, session, name)
    const target = this.#target(session, decodePercent(name))
    if (method === 'GET' && action === 'to' && target) {
      return sendPage(response, 200, targetPage(await this.#shown(target, session), session.proof))
    }
    if (method === 'POST') {
      const form = await readForm(request, LONGEST_SECRET * 2)
      if (!form || !isSameSecret(form.get('proof') ?? '', session.proof)) {
        return sendPage(response, 400, noticePage('Not accepted', 'This did not come from our page.'))
      }
      if (path === '/connect/sign-out') {
        return redirect(response, '/connect', await this.#sessions.close(session))
      }
      if (action === 'to' && target) {
        return this.#connect(response, session, target, { form, done: afterConnecting(request, target.name) })
      }
      if (action === 'off' && target) return this.#disconnect(response, session, target)
    }
    sendPage(response, 404, noticePage('Not found', 'This page does not exist, or you may not see it.'))
  }

  #target({ auth }: PortalSession, name: string): TargetModel | undefined {
    return this.#options.targets(auth).find((target) => target.name === name)
  }

  /** Nobody is told whether there is such a link or target before it is known who asks. */
  #askWho(request: IncomingMessage, response: ServerResponse, path: string): void {
    const isPage = request.method === 'GET' && path !== CALLBACK
    const next = isPage ? path : '/connect'
    sendPage(
      response,
      isPage ? 200 : 403,
      signInPage({ next, hasLogin: this.#options.signIn() !== undefined }),
    )
  }

  async #signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signIn = this.#options.signIn()
    if (request.method !== 'POST') {
      const next = safePath(queryOf(request).get('next'))
      if (!signIn) return redirect(response, next)
      return signIn.logins.begin(response, { landing: '/connect/signed-in', page: next })
    }
    const form = await readForm(request, LONGEST_SECRET)
    const next = safePath(form?.get('next') ?? null)
    const key = form?.get('key') ?? ''
    const headers = { authorization: `Bearer ${key}` }
    const verdict = /^[\x21-\x7e]+$/.test(key)
      ? await this.#options.guard()?.({ method: 'GET', url: '/connect', headers })
      : undefined
    if (!verdict?.ok || !verdict.auth) {
      const problem = 'That is not a key or token of this gateway, or it has ended.'
      return sendPage(response, 403, signInPage({ next, hasLogin: signIn !== undefined, problem }))
    }
    redirect(response, next, await this.#sessions.open(verdict.auth))
  }

  async #signedIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const ticket = queryOf(request).get('ticket') ?? ''
    const found = await this.#options.signIn()?.logins.redeem(request, ticket)
    if (!found) return redirect(response, '/connect')
    redirect(response, safePath(found.page), await this.#sessions.open(found.auth))
  }

  async #list(request: IncomingMessage, response: ServerResponse, session: PortalSession): Promise<void> {
    const done = queryOf(request).get('done')
    const models = this.#options.targets(session.auth)
    const rows = await this.#rows(session)
    const targets = models.map((model) => shown(model, session, rows))
    const changed = targets.find(({ name }) => name === done)
    const said = changed && `${changed.title} is ${changed.connected ? 'connected' : 'disconnected'} now.`
    const { principal, claims } = session.auth
    const person = nameOfPerson(claims) ?? describePrincipal(principal)
    sendPage(response, 200, listPage({ person, proof: session.proof, targets, done: said }))
  }

  async #rows({ auth }: PortalSession): Promise<VaultRow[]> {
    return (await this.#options.accounts.get()).vault.list(auth.principal)
  }

  async #shown(model: TargetModel, session: PortalSession): Promise<Connectable> {
    return shown(model, session, await this.#rows(session))
  }

  /** A link works once, and only for the person that it was made for. */
  async #go(response: ServerResponse, { auth }: PortalSession, id: string): Promise<void> {
    const { links } = await this.#options.accounts.get()
    const found = await links.use(id, auth.principal)
    if (found === 'foreign') {
      this.#options.log('warn', 'A link to connect an account was opened by another person', {
        by: describePrincipal(auth.principal),
        event: 'link-refused',
      })
      return sendPage(response, 403, noticePage('Not for you', 'This link was made for another person.'))
    }
    if (!found) {
      return sendPage(response, 410, noticePage('Used already', 'This link was used, or is too old.'))
    }
    redirect(response, `/connect/to/${encodeURIComponent(found.target)}`)
  }

  async #connect(
    response: ServerResponse,
    session: PortalSession,
    model: TargetModel,
    { form, done }: { form: URLSearchParams; done: string },
  ): Promise<void> {
    const accounts = await this.#options.accounts.get()
    const target = await this.#shown(model, session)
    const { principal } = session.auth
    if (target.secrets.length === 0) {
      const page = await this.#flow.begin(accounts, model, principal).catch(() => undefined)
      if (page !== undefined) return redirect(response, page)
      const problem =
        'Its login cannot be reached at the moment. Try again, or ask the operator of this gateway.'
      return sendPage(response, 502, targetPage(target, session.proof, problem))
    }
    const values = Object.fromEntries(
      target.secrets.map(({ name }) => [name, (form.get(`secret ${name}`) ?? '').trim()]),
    )
    if (!Object.values(values).every(isUsable)) {
      const problem = 'A key is a text on one line, of at most 8192 characters.'
      return sendPage(response, 400, targetPage(target, session.proof, problem))
    }
    await accounts.paste(model, principal, values)
    this.#options.log('info', 'An account was connected', {
      target: model.name,
      by: describePrincipal(principal),
    })
    redirect(response, done)
  }

  async #disconnect(response: ServerResponse, { auth }: PortalSession, model: TargetModel): Promise<void> {
    const accounts = await this.#options.accounts.get()
    await accounts.disconnect(placeOf(model, auth.principal), model)
    this.#options.log('info', 'An account was disconnected', {
      target: model.name,
      by: describePrincipal(auth.principal),
    })
    redirect(response, `/connect?done=${encodeURIComponent(model.name)}`)
  }

  readonly #back: Answer = async (request, response, { auth }) => {
    const { outcome, target } = await this.#flow.finish(queryOf(request), auth.principal)
    if (outcome === 'connected') return redirect(response, afterConnecting(request, target!))
    const [title, what] = {
      failed: ['Not connected', 'The login there was refused, or could not be finished.'],
      ended: ['Used already', 'This login has ended, or was finished already.'],
      foreign: ['Not for you', 'This login was begun by another person.'],
    }[outcome] as [string, string]
    sendPage(response, outcome === 'foreign' ? 403 : 400, noticePage(title, what))
  }

  /** The gateway as a client of authorization servers (OAuth Client ID Metadata Document). */
  #document(response: ServerResponse): void {
    const { address } = this.#options.accounts
    const document = {
      client_id: address + CLIENT_DOCUMENT,
      client_name: 'Gantry',
      client_uri: address,
      redirect_uris: [address + CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  }
}

function shown(model: TargetModel, { auth }: PortalSession, rows: readonly VaultRow[]): Connectable {
  const { name, title, credentials } = model
  const place = placeOf(model, auth.principal)
  const row = rows.find((one) => samePlace(one, place))
  return {
    name,
    title: title ?? name,
    secrets: credentials.kind === 'user' ? credentials.secrets : [],
    connected: row && { connectedAt: row.connectedAt, expires: expiryOf(row), usedAt: row.usedAt },
  }
}

function expiryOf({ renewable, expiresAt }: VaultRow): string {
  if (renewable) return 'when you disconnect it; it is renewed by itself'
  if (expiresAt === undefined) return 'when you disconnect it'
  return `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function isUsable(value: string): boolean {
  return value !== '' && value.length <= LONGEST_SECRET && /^[\x20-\x7e]*$/.test(value)
}

/**
 * Accepts only paths of these pages: a path that begins with `//` is another host, and a path with `..` leads
 * elsewhere.
 */
function safePath(next: string | null): string {
  const isOurs = next !== null && /^\/connect(?:\/[\w.~%-]+)*$/.test(next)
  return isOurs && parseUrl(next, 'http://gateway')?.pathname === next ? next : '/connect'
}

/** To the consent page of a sign-in that waits for it, else to the list. */
function afterConnecting(request: IncomingMessage, target: string): string {
  return consentOf(request) ?? `/connect?done=${encodeURIComponent(target)}`
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split('?', 2)[1])
}

function redirect(response: ServerResponse, location: string, cookie?: string): void {
  const headers = {
    location,
    'cache-control': 'no-store',
    ...(cookie !== undefined && { 'set-cookie': cookie }),
  }
  response.writeHead(303, headers).end()
}

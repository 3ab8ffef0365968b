import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import type { Consent, OnConsent } from '../consent.ts'
import { cookieOf, digest, isSameSecret } from '../secret-texts.ts'
import { accountScope, isAccountScope } from '../../model/index.ts'
import { readForm } from '../read-form.ts'
import type { Rows, Store } from '../../store/index.ts'
import { nameOfPerson } from '../name-of-person.ts'
import type { Interaction, OidcClient, OidcProvider } from './oidc-provider.ts'
import { consentPage, problemPage, sendPage, type ConsentAccount } from './pages.ts'
import type { People } from './people.ts'
import { forgetConsent, rememberConsent } from './consent-return.ts'
import type { LoggedIn, PendingLogin, Person, Upstream } from './upstream.ts'

export interface InteractionOptions {
  readonly provider: OidcProvider
  readonly upstream: Upstream
  readonly people: People
  readonly store: Store
  /** The name of the gateway for people. */
  readonly gateway: string
  readonly isSecure: boolean
  /** The principal of a person, with scopes and groups. */
  toAuth(person: Person): AuthInfo
  /** Told of every person who has logged in. */
  loggedIn(person: LoggedIn): Promise<void>
  /** The targets that this person uses with an account of their own. */
  accountsOf(auth: AuthInfo): Promise<readonly PersonAccount[]>
  /** Told what people answer to clients. */
  readonly onConsent: OnConsent
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

export interface PersonAccount {
  readonly target: string
  readonly title: string
  readonly isConnected: boolean
}

/** A login that has begun, and the browser that it belongs to. */
interface Begun extends PendingLogin {
  readonly uid: string
  readonly browser: string
}

const LOGIN_TIME = 10 * 60_000
const COOKIE = 'gantry-sign-in'
const START = 'Go back to the application and sign in again.'
const MAX_FORM = 4096

/** The pages between a client's request and its answer: the login at the identity provider, and the consent. */
export class Interactions {
  readonly #options: InteractionOptions
  readonly #flows: Rows

  constructor(options: InteractionOptions) {
    this.#options = options
    this.#flows = options.store.rows({
      name: 'sign-in-logins',
      secret: true,
      maxRows: 20_000,
      maxValueBytes: 8192,
    })
  }

  /** `/oauth/sign-in/UID`: sends the browser on to log in, or asks for consent. */
  async step(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider } = this.#options
    let interaction: Interaction
    try {
      interaction = await provider.interactionDetails(request, response)
    } catch {
      return this.#refuse(response, 'This sign-in has ended, or began in another browser.')
    }
    if (interaction.prompt.name === 'login') return this.#login(interaction, request, response)
    if (request.method === 'POST') return this.#answer(interaction, request, response)
    return this.#ask(interaction, response)
  }

  async #login(
    { uid, params }: Interaction,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { provider, upstream, isSecure, log } = this.#options
    const done = await this.#flows.take(`done ${digest(uid)}`)
    if (done) {
      const { account, browser } = JSON.parse(done.value) as { account: string; browser: string }
      if (!isSameSecret(browser, digest(cookieOf(request, COOKIE)))) return this.#otherBrowser(response)
      return provider.interactionFinished(
        request,
        response,
        { login: { accountId: account } },
        { mergeWithLastSubmission: false },
      )
    }
    try {
      const { url, pending } = await upstream.begin(params.login_hint)
      const browser = randomBytes(24).toString('base64url')
      const begun: Begun = { ...pending, uid, browser: digest(browser) }
      await this.#flows.put(`state ${digest(pending.state)}`, JSON.stringify(begun), { ttl: LOGIN_TIME })
      const attributes = `Path=/oauth; HttpOnly; SameSite=Lax; Max-Age=${LOGIN_TIME / 1000}${isSecure ? '; Secure' : ''}`
      const headers = {
        location: url,
        'set-cookie': `${COOKIE}=${browser}; ${attributes}`,
        'cache-control': 'no-store',
      }
      response.writeHead(303, headers).end()
    } catch (error) {
      log('warn', 'The identity provider cannot be used', {
        reason: reasonOf(error),
        event: 'identity-provider-failed',
      })
      sendPage(
        response,
        502,
        problemPage(
          'The identity provider cannot be reached.',
          'Try again in a moment. The log of the gateway says more.',
        ),
      )
    }
  }

  /** `/oauth/callback`: the identity provider's answer. A state is good once, in the browser that began. */
  async callback(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { upstream, people, log } = this.#options
    const state = url.searchParams.get('state') ?? ''
    const row = state === '' ? undefined : await this.#flows.take(`state ${digest(state)}`)
    // Forged, or too old.
    if (!row) return this.#refuse(response, 'This sign-in has ended, or was used already.')
    const begun = JSON.parse(row.value) as Begun
    if (!isSameSecret(begun.browser, digest(cookieOf(request, COOKIE)))) return this.#otherBrowser(response)
    try {
      const person = await upstream.finish(url, begun)
      const { account, tooLong } = await people.keep(person)
      await this.#options.loggedIn(person)
      if (tooLong.length > 0)
        log('warn', 'Claims are too long for a token and are left out', {
          claims: tooLong.join(', '),
          event: 'claims-too-long',
        })
      const value = JSON.stringify({ account, browser: begun.browser })
      await this.#flows.put(`done ${digest(begun.uid)}`, value, { ttl: LOGIN_TIME })
      response.writeHead(303, { location: `/oauth/sign-in/${begun.uid}`, 'cache-control': 'no-store' }).end()
    } catch (error) {
      log('warn', 'A login was refused', { reason: reasonOf(error), event: 'login-refused' })
      sendPage(response, 400, problemPage('The identity provider did not confirm who you are.', START))
    }
  }

  #otherBrowser(response: ServerResponse): void {
    this.#refuse(response, 'This sign-in began in another browser.')
  }

  /** The person and the operator get the same text, because it names no person. */
  #refuse(response: ServerResponse, reason: string): void {
    this.#options.log('warn', 'A login was refused', { reason, event: 'login-refused' })
    sendPage(response, 400, problemPage(reason, START))
  }

  async #ask(interaction: Interaction, response: ServerResponse): Promise<void> {
    const { provider, people, gateway } = this.#options
    const { uid, params, session } = interaction
    const client = await provider.Client.find(params.client_id ?? '')
    const account = session?.accountId ?? ''
    const claims = await people.claimsOf(account)
    if (!client || !claims) return sendPage(response, 400, problemPage('This sign-in has ended.', START))
    const proof = randomBytes(24).toString('base64url')
    await this.#flows.put(`proof ${digest(uid)}`, digest(proof), { ttl: LOGIN_TIME })
    const subject = people.subjectOf(account) ?? ''
    const accounts = await this.#accounts({ subject, claims }, asked(interaction))
    if (accounts.length > 0) rememberConsent(response, `/oauth/sign-in/${uid}`, LOGIN_TIME / 1000)
    const html = consentPage({
      uid,
      proof,
      clientName: client.clientName ?? 'An application without a name',
      verifiedHost: verifiedHost(client),
      returnsTo: placeOf(params.redirect_uri ?? ''),
      person: nameOfPerson(claims) ?? subject,
      gateway,
      scopes: asked(interaction).filter((scope) => !isAccountScope(scope)),
      accounts,
    })
    sendPage(response, 200, html)
  }

  /**
   * The accounts for the consent page, with the requested ones first. A list that cannot be read must not keep a person
   * from signing in.
   */
  async #accounts(person: Person, scopes: readonly string[]): Promise<ConsentAccount[]> {
    const { toAuth, accountsOf, log } = this.#options
    const found = await accountsOf(toAuth(person)).catch((error: unknown) => {
      log('warn', 'The accounts of a person cannot be listed', {
        reason: reasonOf(error),
        event: 'accounts-unlisted',
      })
      return []
    })
    const accounts = found.map(({ target, title, isConnected }) => ({
      title,
      isConnected,
      isWanted: scopes.includes(accountScope(target)),
      address: `/connect/sign-in?next=${encodeURIComponent(`/connect/to/${encodeURIComponent(target)}`)}`,
    }))
    return [...accounts.filter(({ isWanted }) => isWanted), ...accounts.filter(({ isWanted }) => !isWanted)]
  }

  async #answer(interaction: Interaction, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { provider, log } = this.#options
    const { uid, params, session } = interaction
    const form = await readForm(request, MAX_FORM)
    const proof = await this.#flows.take(`proof ${digest(uid)}`)
    if (!proof || !isSameSecret(proof.value, digest(form?.get('proof') ?? ''))) {
      return this.#refuse(response, 'This answer did not come from our page, or was given already.')
    }
    forgetConsent(response)
    const client = params.client_id ?? ''
    const isGiven = form?.get('answer') === 'allow'
    await this.#tell(interaction, isGiven ? 'given' : 'refused')
    if (!isGiven) {
      const refusal = { error: 'access_denied', error_description: 'The person said no' }
      return provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false })
    }
    const known =
      interaction.grantId === undefined ? undefined : await provider.Grant.find(interaction.grantId)
    const grant = known ?? new provider.Grant({ accountId: session?.accountId ?? '', clientId: client })
    const { missingOIDCScope = [], missingResourceScopes = {} } = interaction.prompt.details
    if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '))
    for (const [resource, scopes] of Object.entries(missingResourceScopes)) {
      grant.addResourceScope(resource, scopes.join(' '))
    }
    const grantId = await grant.save()
    log('info', 'A client was allowed', { client, redirect: placeOf(params.redirect_uri ?? '') })
    return provider.interactionFinished(request, response, { consent: { grantId } })
  }

  async #tell(interaction: Interaction, answer: Consent['answer']): Promise<void> {
    const { people, toAuth, onConsent } = this.#options
    const account = interaction.session?.accountId ?? ''
    const claims = await people.claimsOf(account)
    if (!claims) return
    const { principal } = toAuth({ subject: people.subjectOf(account) ?? '', claims })
    const client = { id: interaction.params.client_id ?? '', scopes: asked(interaction) }
    onConsent({ principal, answer, client })
  }
}

function asked({ prompt: { details } }: Interaction): string[] {
  const scopes = [
    ...(details.missingOIDCScope ?? []),
    ...Object.values(details.missingResourceScopes ?? {}).flat(),
  ]
  return [...new Set(scopes)].filter((scope) => scope !== 'openid' && scope !== 'offline_access')
}

/** A metadata document is at home on its host; a registration vouches for nothing. */
function verifiedHost({ clientId, clientIdMetadataDocument }: OidcClient): string | undefined {
  return clientIdMetadataDocument ? parseUrl(clientId)?.host : undefined
}

/** Where an answer goes, for people: a host, this machine, or the app of a scheme. */
function placeOf(redirect: string): string {
  const url = parseUrl(redirect)
  if (!url) return ''
  if (url.protocol === 'https:') return url.host
  return url.protocol === 'http:'
    ? `a program on this computer (${url.host})`
    : `the app of ${url.protocol}//`
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

import { pageFetch } from './call.ts'
import { AdminError, createAdminClient, type SessionInfo } from './contract.ts'

/** What signs a browser in: the token that `serve` prints, or the ticket of a login with the identity provider. */
export type Credential = { readonly token: string } | { readonly ticket: string }

const AFTER = 'gantry.after-sign-in'
const LANDING = '/console/signed-in'

/** `serve` prints a URL that ends in `#token=…`: fragments stay in the browser, and out of the history. */
export function takeCredentialFromUrl(): Credential | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  const ticket = location.pathname === LANDING ? new URLSearchParams(location.search).get('ticket') : null
  if (location.pathname === LANDING) history.replaceState(null, '', takePage())
  else if (token !== null) history.replaceState(history.state, '', location.pathname + location.search)
  if (ticket !== null) return { ticket }
  return token === null ? undefined : { token }
}

/** Signs this browser in by a cookie, or throws why not. The credential itself is not kept. */
export function signIn(credential: Credential): Promise<SessionInfo> {
  const isToken = 'token' in credential
  const send: typeof fetch = (input, init) =>
    isToken
      ? pageFetch(input, init)
      : pageFetch(input, {
          ...init,
          headers: { ...(init?.headers as object), authorization: `Ticket ${credential.ticket}` },
        })
  const token = isToken ? credential.token : undefined
  return createAdminClient({ url: '', token, fetch: send }).call('openSession', {})
}

/** Who this browser is; throws when the gateway does not know it. */
export function askSession(): Promise<SessionInfo> {
  return createAdminClient({ url: '', token: undefined, fetch: pageFetch }).call('session', {})
}

export async function signOut(): Promise<void> {
  await createAdminClient({ url: '', token: undefined, fetch: pageFetch }).call('signOut', {})
}

/** What a page for signing in can offer, as the refusal of the gateway says. */
export interface Doors {
  readonly canSignIn: boolean
  readonly hasToken: boolean
}

export function doorsOf(error: unknown): Doors | undefined {
  const details = error instanceof AdminError && error.status === 401 ? error.problem.details : undefined
  return details && { canSignIn: details.canSignIn === true, hasToken: details.hasToken === true }
}

/** Leaves for the identity provider, and comes back to the page that is shown now. */
export function leaveToSignIn(): void {
  sessionStorage.setItem(AFTER, location.pathname + location.search)
  location.assign('/console/sign-in')
}

function takePage(): string {
  const page = sessionStorage.getItem(AFTER)
  sessionStorage.removeItem(AFTER)
  return page?.startsWith('/console/') ? page : '/console/'
}

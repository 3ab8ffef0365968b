import type { IncomingMessage, ServerResponse } from 'node:http'

/** A person who connects an account in the middle of a sign-in goes back to its consent page after that. */
const COOKIE = 'gantry-consent'
const PATH = /^\/oauth\/sign-in\/[\w-]{1,64}$/

export function rememberConsent(response: ServerResponse, page: string, seconds: number): void {
  response.appendHeader(
    'set-cookie',
    `${COOKIE}=${encodeURIComponent(page)}; Path=/connect; HttpOnly; SameSite=Lax; Max-Age=${seconds}`,
  )
}

export function forgetConsent(response: ServerResponse): void {
  rememberConsent(response, '', 0)
}

/** The page to go back to. Only a path of the gateway counts, even if the cookie names another. */
export function consentOf({ headers }: IncomingMessage): string | undefined {
  const pair = (headers.cookie ?? '').split('; ').find((one) => one.startsWith(`${COOKIE}=`))
  const page = pair?.slice(COOKIE.length + 1).replaceAll('%2F', '/') ?? ''
  return PATH.test(page) ? page : undefined
}

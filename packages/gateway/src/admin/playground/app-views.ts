import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { contentSecurityPolicy, type AppCsp } from '@gantry/mcp/extensions/apps'
import { parseUrl } from '@gantry/mcp/foreign'
import { ApiError } from '../api-error.ts'
import type { OpenedView, OpenView } from '../contract.ts'

const FOLDER = '/console/views/'
const MOST = 20
const LIFE = 10 * 60_000

interface View extends OpenView {
  readonly until: number
}

/**
 * Documents of `ui://` resources, each at an address that cannot be guessed. A document has no origin, so that it
 * reaches neither the console, its storage and its cookie, nor the API; it may load what its server declared, and
 * nothing of the gateway.
 */
export class AppViews {
  readonly #views = new Map<string, View>()

  open(view: OpenView): OpenedView {
    const key = randomBytes(24).toString('base64url')
    this.#views.set(key, { ...view, until: Date.now() + LIFE })
    const [oldest] = this.#views.keys()
    if (this.#views.size > MOST) this.#views.delete(oldest!)
    return { path: FOLDER + key }
  }

  /** False leaves the request to others. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    if (!path.startsWith(FOLDER)) return false
    const view = this.#views.get(path.slice(FOLDER.length))
    if (!view || view.until < Date.now()) {
      throw new ApiError('not_found', 'This view is not there any more', { fix: 'Open it again.' })
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyOf(view.csp, request.headers.host ?? ''),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'cache-control': 'no-store',
    })
    response.end(view.html)
    return true
  }
}

/** The content security policy of a document: the sources that its server declared. `'self'` would be the gateway. */
function policyOf(csp: OpenView['csp'], host: string): string {
  const declared = Object.entries(csp ?? {}).map(([name, domains]) => [
    name,
    Array.isArray(domains) ? domains.filter((domain) => !isGateway(String(domain), host)) : [],
  ])
  const directives = contentSecurityPolicy(Object.fromEntries(declared) as AppCsp)
    .replaceAll(/ 'self'(?= )/g, '')
    .replaceAll("'self'", "'none'")
  return `${directives}; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts`
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\]|.*\.localhost)$/i

function isGateway(domain: string, host: string): boolean {
  const gateway = parseUrl(`http://${host}`)
  const named = parseUrl(domain.replace('*.', '').replace(/^ws/i, 'http'))
  if (!gateway || !named) return true
  if (named.hostname === gateway.hostname) return named.port === gateway.port
  return LOOPBACK.test(named.hostname) && named.port === gateway.port
}

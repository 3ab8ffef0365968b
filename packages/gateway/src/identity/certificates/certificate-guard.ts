import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { AuthInfo } from '@gantry/mcp/exchange'
import type { Guard, HttpHead } from '@gantry/mcp/server'
import { CERTIFICATE_ISSUER, type Certified } from '../../model/index.ts'
import { pathOf, type OnRefused } from '../refusal.ts'

/** Beside the headers of a request, where nothing that is sent can stand: a header has no symbol for a name. */
const CERTIFIED: unique symbol = Symbol('certified')

type Noted = { [CERTIFIED]?: Certified | undefined }

/** The caller that the certificate of this connection names. */
export function certifiedBy({ socket }: IncomingMessage): Certified | undefined {
  const { authorized, getPeerX509Certificate } = socket as Partial<TLSSocket>
  const certificate = authorized ? getPeerX509Certificate?.call(socket) : undefined
  const subject = certificate && subjectOf(certificate)
  return subject === undefined ? undefined : { subject, expiresAt: Date.parse(certificate!.validTo) }
}

/** Remembers the holder of a certificate for the guard. */
export function noteCertified({ headers }: IncomingMessage, certified: Certified | undefined): void {
  ;(headers as Noted)[CERTIFIED] = certified
}

export function certifiedIn({ headers }: { readonly headers: object }): Certified | undefined {
  return (headers as Noted)[CERTIFIED]
}

/** Lets in callers with a client certificate. A key or a token that is sent besides decides instead of it. */
export function certificateGuard(next: Guard | undefined, onRefused: OnRefused): Guard {
  return (head) => {
    const certified = certifiedIn(head)
    const isWithout = !hasCredential(head)
    if (certified && isWithout && certified.expiresAt > Date.now())
      return { ok: true, auth: authOf(certified) }
    if (next) return next(head)
    onRefused({
      status: 401,
      reason: 'it has no client certificate that can be used',
      path: pathOf(head.url),
    })
    const headers = { 'www-authenticate': 'Bearer realm="gantry"', 'content-type': 'text/plain' }
    return { ok: false, status: 401, headers, body: 'This gateway wants a client certificate.\n' }
  }
}

function authOf({ subject, expiresAt }: Certified): AuthInfo {
  const principal = Object.freeze({ kind: 'workload' as const, issuer: CERTIFICATE_ISSUER, subject })
  return { principal, scopes: [], claims: {}, expiresAt }
}

function hasCredential({ headers }: HttpHead): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined
}

/** A URI such as `spiffe://…`, else a DNS name, else the common name. A name that occurs twice is not used. */
export function subjectOf({
  subject,
  subjectAltName = '',
}: Pick<X509Certificate, 'subject'> & { subjectAltName?: string | undefined }): string | undefined {
  // Node quotes names with characters that could be taken for the end of a name.
  if (subjectAltName.includes('"')) return undefined
  const names = subjectAltName.split(', ')
  for (const kind of ['URI:', 'DNS:']) {
    const found = names.filter((name) => name.startsWith(kind))
    if (found.length > 1) return undefined
    if (found[0]) return found[0].slice(kind.length) || undefined
  }
  const common = subject.split('\n').filter((line) => line.startsWith('CN='))
  return common.length === 1 ? common[0]!.slice(3) || undefined : undefined
}

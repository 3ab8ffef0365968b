import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { AuthInfo } from '@gantry/mcp/exchange'
import type { Guard, HttpHead } from '@gantry/mcp/server'
import { CERTIFICATE_ISSUER } from '../../model/index.ts'
import { pathOf, type OnRefused } from '../refusal.ts'

/** Beside the headers of a request, where nothing that is sent can stand: a header has no symbol for a name. */
const CERTIFIED: unique symbol = Symbol('certified')

type Certified = { [CERTIFIED]?: AuthInfo }

/** Remembers who the certificate of this connection says is calling. */
export function noteCertificate({ socket, headers }: IncomingMessage): void {
  const { authorized, getPeerX509Certificate } = socket as Partial<TLSSocket>
  const certificate = authorized ? getPeerX509Certificate?.call(socket) : undefined
  const subject = certificate && subjectOf(certificate)
  if (subject === undefined) return
  const principal = Object.freeze({ kind: 'workload' as const, issuer: CERTIFICATE_ISSUER, subject })
  const expiresAt = Date.parse(certificate!.validTo)
  ;(headers as Certified)[CERTIFIED] = { principal, scopes: [], claims: {}, expiresAt }
}

/** Lets in callers with a client certificate. A key or a token that is sent besides decides instead of it. */
export function certificateGuard(next: Guard | undefined, onRefused: OnRefused): Guard {
  return (head) => {
    const auth = (head.headers as Certified)[CERTIFIED]
    const isWithout = !hasCredential(head)
    if (auth && isWithout && auth.expiresAt! > Date.now()) return { ok: true, auth }
    if (next) return next(head)
    onRefused({
      status: 401,
      reason: 'it has no client certificate that can be used',
      path: pathOf(head.url),
    })
    return { ok: false, status: 401, headers: { 'www-authenticate': 'Bearer realm="gantry"' } }
  }
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

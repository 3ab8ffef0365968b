import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createSecureServer, type ServerOptions as SecureOptions } from 'node:https'
import type { GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'
import { CertificateFiles } from '../tls/certificate-files.ts'

const HANDSHAKE_WITHIN = 15_000

/** The port, with TLS where the configuration has a certificate. New files are taken while it is open. */
export function openPort(
  { server: { tls }, auth: { mtls } }: GatewayModel,
  { times, log, listener }: { times: ServerOptions; log: Log; listener: RequestListener },
): Server {
  if (!tls) return createServer(times, listener)
  const files = new CertificateFiles({ cert: tls.cert, key: tls.key, ...(mtls && { ca: mtls.ca }) })
  // Callers without a certificate may have a key or a token: the door decides.
  const asking = mtls ? { requestCert: true, rejectUnauthorized: false } : {}
  const options = { ...times, ...asking, handshakeTimeout: HANDSHAKE_WITHIN }
  const server = createSecureServer({ ...options, ...files.current }, listener)
  const leave = files.follow((next) => server.setSecureContext({ ...asking, ...next } as SecureOptions), log)
  server.once('close', leave)
  return server as unknown as Server
}

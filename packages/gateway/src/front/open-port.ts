import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createSecureServer, type ServerOptions as SecureOptions } from 'node:https'
import type { GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'
import { CertificateFiles } from '../tls/certificate-files.ts'

const HANDSHAKE_WITHIN = 15_000
/** The last answers need a moment to leave. */
const FLUSH_TIME = 1_000

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

/** Takes no new connections, waits until nothing is under way or the time is over, and ends all connections. */
export async function closePort(
  server: Server,
  grace: number,
  { isWorking, cutOff }: { isWorking(): boolean; cutOff(): void },
): Promise<void> {
  let isClosed = false
  server.close(() => {
    isClosed = true
  })
  const turn = async (): Promise<void> => {
    server.closeIdleConnections()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const until = Date.now() + grace
  while (isWorking() && Date.now() < until) await turn()
  cutOff()
  const flushed = Date.now() + FLUSH_TIME
  while (!isClosed && Date.now() < flushed) await turn()
  server.closeAllConnections()
}

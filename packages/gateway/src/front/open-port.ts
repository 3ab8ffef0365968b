import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http'
import { createServer as createSecureServer, type ServerOptions as SecureOptions } from 'node:https'
import type { GatewayModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'

/** Files are compared this often: notices of the file system miss those that are links, as in Kubernetes. */
const PERIOD = 1_000
const HANDSHAKE_WITHIN = 15_000

/** The port, with TLS where the configuration has a certificate. New files are taken while it is open. */
export function openPort(
  { server: { tls }, auth: { mtls } }: GatewayModel,
  { times, log, listener }: { times: ServerOptions; log: Log; listener: RequestListener },
): Server {
  if (!tls) return createServer(times, listener)
  const files = { cert: tls.cert, key: tls.key, ...(mtls && { ca: mtls.ca }) }
  // Callers without a certificate may have a key or a token: the door decides.
  const asking = mtls ? { requestCert: true, rejectUnauthorized: false } : {}
  const options = { ...times, ...asking, handshakeTimeout: HANDSHAKE_WITHIN }
  const server = createSecureServer({ ...options, ...readAll(files) }, listener)
  const reload = (): void => {
    try {
      server.setSecureContext({ ...asking, ...readAll(files) } as SecureOptions)
      log('info', 'The certificate was read again', { file: files.cert })
    } catch (error) {
      // Certificate and key are rarely replaced in the same moment: the second change brings it here again.
      const reason = error instanceof Error ? error.message : String(error)
      log('warn', 'A new certificate cannot be used, and the one before stays', {
        file: files.cert,
        reason,
        event: 'certificate-refused',
      })
    }
  }
  for (const file of Object.values(files)) watchFile(file, { interval: PERIOD, persistent: false }, reload)
  server.once('close', () => {
    for (const file of Object.values(files)) unwatchFile(file, reload)
  })
  return server as unknown as Server
}

function readAll(files: Readonly<Record<string, string>>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(files).map(([name, file]) => [name, readFileSync(file)]))
}

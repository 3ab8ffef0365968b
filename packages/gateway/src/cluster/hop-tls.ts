import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import type { ClusterModel } from '../model/index.ts'
import type { Log } from '../telemetry/log.ts'
import { CertificateFiles } from '../tls/certificate-files.ts'

const HANDSHAKE_WITHIN = 5_000
/** Both ends are gateways, so the newest version is enough. */
const NEWEST = 'TLSv1.3'

/** The two ends of the encrypted way between gateways: each shows the other a certificate of their authority. */
export class HopTls {
  readonly #files: CertificateFiles
  readonly #name: string | undefined

  constructor({ cert, key, ca, name }: NonNullable<ClusterModel['tls']>) {
    this.#files = new CertificateFiles({ cert, key, ca })
    this.#name = name
  }

  /** For a connection that is made now. */
  get asClient(): Pick<ConnectionOptions, 'cert' | 'key' | 'ca' | 'servername' | 'minVersion'> {
    return {
      ...this.#files.current,
      minVersion: NEWEST,
      ...(this.#name !== undefined && { servername: this.#name }),
    }
  }

  createServer(log: Log, listener: RequestListener): Server {
    const asking = { requestCert: true, rejectUnauthorized: true, minVersion: NEWEST } as const
    const options = { ...asking, ...this.#files.current, handshakeTimeout: HANDSHAKE_WITHIN }
    const server = createSecureServer(options, listener)
    server.once(
      'close',
      this.#files.follow((next) => server.setSecureContext({ ...asking, ...next }), log),
    )
    return server as unknown as Server
  }
}

export function createHopServer(tls: HopTls | undefined, log: Log, listener: RequestListener): Server {
  return tls?.createServer(log, listener) ?? createServer(listener)
}

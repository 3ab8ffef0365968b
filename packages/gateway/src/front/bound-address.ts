import type { AddressInfo, Server } from 'node:net'
import { isLoopbackAddress } from '../model/index.ts'

/** The address that a socket is really bound to. */
export interface BoundAddress {
  readonly address: string
  readonly port: number
  /** Whether only this machine reaches it. */
  readonly loopback: boolean
}

/** Resolves when the server listens; rejects when it cannot, or when `refuse` gives a reason why it may not. */
export function listenAt(
  server: Server,
  { port, host }: { port: number; host: string },
  refuse: (bound: BoundAddress) => Error | undefined,
): Promise<BoundAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // After this, an error is about a single connection and must not end the process.
      server.on('error', () => {})
      const { address, port } = server.address() as AddressInfo
      const bound = { address, port, loopback: isLoopbackAddress(address) }
      const refusal = refuse(bound)
      // The server is closed in the same turn of the event loop, so no connection has been accepted yet.
      if (refusal) server.close(() => reject(refusal))
      else resolve(bound)
    })
  })
}

/** Other machines could reach the gateway by accident. */
export class OpenDoorError extends Error {
  constructor(host: string, address: string) {
    super(
      `"${host}" leads to ${address}, which is not a loopback address: other machines could reach the gateway. ` +
        'Set server.host to 127.0.0.1, or to the address itself and add "auth"',
    )
    this.name = 'OpenDoorError'
  }
}

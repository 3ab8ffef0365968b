import type { AddressInfo } from 'node:net'
import { isLoopbackAddress } from '../model/index.ts'

/** The address that a socket is really bound to. */
export interface BoundAddress {
  readonly address: string
  readonly port: number
  /** Whether only this machine reaches it. */
  readonly loopback: boolean
}

export function boundAddress({ address, port }: AddressInfo): BoundAddress {
  return { address, port, loopback: isLoopbackAddress(address) }
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

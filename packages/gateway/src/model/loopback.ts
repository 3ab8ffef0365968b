import { isIP } from 'node:net'
import { addressKind } from '@gantry/mcp/foreign'

/** Whether only this machine reaches an address, in any of its spellings. Names are no addresses. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && addressKind(address) === 'loopback'
}

/** The same for a host as people write it. `localhost` counts; when it is bound, its address is checked again. */
export function isLoopbackHost(host: string): boolean {
  const plain = withoutBrackets(host)
  return /^localhost\.?$/i.test(plain) || isLoopbackAddress(plain)
}

/** `[::1]` is how URLs have it; sockets want `::1`. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

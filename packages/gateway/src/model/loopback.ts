import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Whether only this machine reaches an address, in any of its spellings. Names are no addresses. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** The same for a host as people write it. `localhost` counts; when it is bound, its address is checked again. */
export function isLoopbackHost(host: string): boolean {
  const plain = withoutBrackets(host)
  return plain.toLowerCase() === 'localhost' || isLoopbackAddress(plain)
}

/** `[::1]` is how URLs have it; sockets want `::1`. */
export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

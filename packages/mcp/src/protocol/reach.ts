import { parseUrl } from './foreign-text.ts'

/** Decides which addresses we may connect to when a stranger names them. */
export interface Reach {
  /**
   * The URL of the server, as the user gave it. The server may name addresses that are no nearer to us than this URL.
   */
  readonly serverUrl: URL
  /** Hosts (`name` or `name:port`) that may be anywhere. */
  readonly trustedHosts: readonly string[]
}

/** Whether the user chose this host: then it may be at any address. */
export function isChosenHost(url: URL, { serverUrl, trustedHosts }: Reach): boolean {
  return url.hostname === serverUrl.hostname || isTrustedHost(url, trustedHosts)
}

export function isTrustedHost({ host, hostname }: URL, trustedHosts: readonly string[]): boolean {
  return trustedHosts.some((trusted) => trusted === host || trusted === hostname)
}

/** Whether an address, or a host whose name says where it is, is no nearer to us than the stranger itself. */
export function isWithinReach(host: string, { serverUrl }: Reach): boolean {
  return nearness(host) <= nearness(serverUrl.hostname)
}

function nearness(host: string): number {
  const kind = addressKind(host)
  if (kind === 'loopback' || isUnspecified(host)) return 2
  return kind === 'private' ? 1 : 0
}

/** The address that stands for every interface. A program that connects to it reaches this machine. */
function isUnspecified(host: string): boolean {
  const hostname = hostnameOf(host)
  return hostname === '0.0.0.0' || hostname === '[::]' || hostname === '[::ffff:0:0]'
}

/** As the URL parser writes it; undefined for a text that is no host. */
function hostnameOf(host: string): string | undefined {
  const plain = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return parseUrl(plain.includes(':') ? `http://[${plain}]` : `http://${plain}`)?.hostname
}

/** The host has an address that a stranger may not send us to. */
export class OutOfReach extends Error {
  override readonly name = 'OutOfReach'
  readonly code = 'OUT_OF_REACH'

  constructor(host: string, address: string) {
    super(`${host} is at ${address}, inside the network; nothing was sent there`)
  }

  /** The error itself, or the cause that `fetch` wraps. */
  static in(thrown: unknown): OutOfReach | undefined {
    const error = thrown instanceof Error && thrown.cause instanceof OutOfReach ? thrown.cause : thrown
    return error instanceof OutOfReach ? error : undefined
  }
}

/** Where a host is: this machine, a network that is not public, the internet, or unknown (`name`). */
export type AddressKind = 'loopback' | 'private' | 'public' | 'name'

/** Classifies a host from a URL, a configuration or DNS, in every spelling of an address. */
export function addressKind(host: string): AddressKind {
  const hostname = hostnameOf(host)
  if (hostname === undefined) return 'name'
  if (hostname.startsWith('[')) return ofIpv6(groupsOf(hostname.slice(1, -1)))
  const octets = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(hostname)
  return octets ? ofIpv4(octets.slice(1).map(Number)) : ofName(hostname.replace(/\.+$/, ''))
}

/**
 * Names that never leave the machine (RFC 6761) or the network (RFC 6762, RFC 8375, the domain `internal` of ICANN).
 */
function ofName(name: string): AddressKind {
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  return /(^|\.)(local|internal|home\.arpa)$/.test(name) ? 'private' : 'name'
}

/**
 * Ranges that IANA's registry of special addresses does not call globally reachable: address and length of the prefix.
 */
const PRIVATE_IPV4: readonly (readonly [number, number, number, number, number])[] = [
  [0, 0, 0, 0, 8],
  [10, 0, 0, 0, 8],
  [100, 64, 0, 0, 10],
  [169, 254, 0, 0, 16],
  [172, 16, 0, 0, 12],
  [192, 0, 0, 0, 24],
  [192, 0, 2, 0, 24],
  [192, 88, 99, 0, 24],
  [192, 168, 0, 0, 16],
  [198, 18, 0, 0, 15],
  [198, 51, 100, 0, 24],
  [203, 0, 113, 0, 24],
  // Multicast, reserved and broadcast.
  [224, 0, 0, 0, 3],
]

function ofIpv4(octets: readonly number[]): AddressKind {
  if (octets[0] === 127) return 'loopback'
  const address = toNumber(octets)
  const isPrivate = PRIVATE_IPV4.some(([a, b, c, d, length]) => {
    const size = 2 ** (32 - length)
    return Math.floor(address / size) === Math.floor(toNumber([a, b, c, d]) / size)
  })
  return isPrivate ? 'private' : 'public'
}

function toNumber(octets: readonly number[]): number {
  return octets.reduce((sum, octet) => sum * 256 + octet, 0)
}

/** The eight groups of an address as the URL parser writes it. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [numbers(head), numbers(tail ?? '')]
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last]
}

function ofIpv6(groups: readonly number[]): AddressKind {
  const [a = 0, b = 0] = groups
  const begins = (...start: number[]): boolean => start.every((group, index) => groups[index] === group)
  if (begins(0, 0, 0, 0, 0, 0xffff)) return ofIpv4(octetsAt(groups, 6))
  if (begins(0, 0, 0, 0, 0, 0, 0, 1)) return 'loopback'
  // Behind NAT64 and 6to4 there is an IPv4 address; one that is not public is not reached that way by accident.
  if (begins(0x64, 0xff9b, 0, 0, 0, 0)) return publicOnly(octetsAt(groups, 6))
  if (a === 0x2002) return publicOnly(octetsAt(groups, 1))
  const isGlobal = a >= 0x2000 && a < 0x4000
  // Teredo and other protocols of the IETF; addresses for documentation.
  const isSpecial = (a === 0x2001 && (b < 0x200 || b === 0xdb8)) || (a === 0x3fff && b < 0x1000)
  return isGlobal && !isSpecial ? 'public' : 'private'
}

function octetsAt(groups: readonly number[], at: number): number[] {
  return groups.slice(at, at + 2).flatMap((group) => [group >> 8, group & 255])
}

function publicOnly(octets: readonly number[]): AddressKind {
  return ofIpv4(octets) === 'public' ? 'public' : 'private'
}

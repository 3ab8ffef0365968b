import { addressKind } from './address-kind.ts'

/** How far into the network the words of a stranger may lead us. */
export interface Reach {
  /** Where the stranger is, by a URL that the user gave: places as near to us as that one may be named. */
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
  if (kind === 'loopback') return 2
  return kind === 'private' ? 1 : 0
}

/** A host turned out to be at an address that a stranger may not send us to. */
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

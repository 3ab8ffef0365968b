import { schemeOf, type GatewayModel } from '../model/index.ts'
import type { BoundAddress } from './bound-address.ts'

/** How the configuration says that clients reach the gateway. */
export function publicUrl({ server }: GatewayModel): string | undefined {
  return server.publicUrl?.replace(/\/+$/, '')
}

/** How programs on this machine reach it. */
export function localUrl({ server }: GatewayModel, { address, port }: BoundAddress): string {
  const isAnyAddress = ['0.0.0.0', '::'].includes(address)
  const host = isAnyAddress ? '127.0.0.1' : server.host
  return `${schemeOf(server)}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Fragments are never sent anywhere: the token stays between this terminal and the page. */
export function consoleAddress(url: string, token: string | undefined): string {
  return `${url}/console/${token === undefined ? '' : `#token=${token}`}`
}

import { parseUrl } from '@gantry/mcp/foreign'
import { defaultPortOf, isSpecial } from './split-uri.ts'

export interface Authority {
  /** With `@` at its end, or empty. */
  readonly user: string
  readonly host: string
  /** With `:` in front, or empty. */
  readonly port: string
}

export function splitAuthority(authority: string): Authority {
  const at = authority.lastIndexOf('@') + 1
  const [, host, port] = /^(.*?)(:\d*)?$/s.exec(authority.slice(at))!
  return { user: authority.slice(0, at), host: host!, port: port === ':' ? '' : (port ?? '') }
}

/** Names of hosts know no case, and have one written form each (RFC 5891). Other schemes keep names of any kind there. */
export function normaliseHost(
  authority: string,
  scheme: string | undefined,
): { text: string; isBroken: boolean } {
  const { user, host, port } = splitAuthority(authority)
  if (!isSpecial(scheme)) return { text: user + host + port, isBroken: false }
  const kept = port === defaultPortOf(scheme) ? '' : port
  const named = hostName(host)
  const name = scheme === 'file' && named === 'localhost' ? '' : named
  return { text: user + (name ?? host.toLowerCase()) + kept, isBroken: name === undefined }
}

function hostName(host: string): string | undefined {
  if (host === '') return ''
  // A wildcard of a pattern.
  if (host.includes('?')) return host.toLowerCase()
  const url = `http://${host}/`
  return parseUrl(url)?.hostname
}

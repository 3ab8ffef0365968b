import { parseUrl } from '@gantry/mcp/foreign'

/** A place for messages: a path for files, and URLs without user, password and query, which may be secret. */
export function displayUri(uri: string | URL): string {
  const url = parseUrl(String(uri))
  if (url === undefined) return 'an address that is no URL'
  return url.protocol === 'file:' ? decoded(url.pathname) : url.origin + url.pathname
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

/** A place for messages: a path for files, and URLs without user, password and query, which may be secret. */
export function displayUri(uri: string | URL): string {
  const url = new URL(uri)
  return url.protocol === 'file:' ? decodeURI(url.pathname) : url.origin + url.pathname
}

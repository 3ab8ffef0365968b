/** `new URL` for texts from outside: undefined when it is no URL. */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Splits any HTTP request target into path and query; `new URL` would fail for `//` or `*`. */
export function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const at = target.indexOf('?')
  return at === -1
    ? { path: target, query: new URLSearchParams() }
    : { path: target.slice(0, at), query: new URLSearchParams(target.slice(at + 1)) }
}

const KEY = 'gantry.token'

/** `serve` prints a URL that ends in `#token=…`: fragments stay in the browser, and out of the history. */
export function takeTokenFromUrl(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return
  setToken(token)
  history.replaceState(history.state, '', location.pathname + location.search)
}

export function getToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined
}

export function setToken(token: string): void {
  sessionStorage.setItem(KEY, token)
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY)
}

import { pageFetch } from './call.ts'
import { createAdminClient } from './contract.ts'

/** `serve` prints a URL that ends in `#token=…`: fragments stay in the browser, and out of the history. */
export function takeTokenFromUrl(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

/** Signs this browser in by a cookie, or throws why not. The token itself is not kept. */
export async function signIn(token: string): Promise<void> {
  await createAdminClient({ url: '', token, fetch: pageFetch }).call('openSession', {})
}

const KEY = 'gantry.page-key'

/** Half of a session; the other half is a cookie. All tabs have it, and nothing outside of this origin. */
export function pageKey(): string {
  const known = localStorage.getItem(KEY)
  if (known !== null) return known
  const made = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  localStorage.setItem(KEY, made)
  return made
}

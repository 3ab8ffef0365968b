import { matchesWildcard } from '../wildcard.ts'
import { uriForms, type UriForms } from './uri-forms.ts'

export type UriPattern = Pick<UriForms, 'exact' | 'loose' | 'bare'>

/** Brings a pattern of the configuration into the form of the URIs that it is compared with. */
export function toUriPattern(text: string): UriPattern {
  const { exact, loose, bare } = uriForms(text, true)
  return { exact, loose, bare }
}

/** Whether a pattern forbids a URI. It does when any form of the URI matches. */
export function forbidsUri({ exact, loose, bare }: UriPattern, uri: UriForms): boolean {
  return (
    matchesWildcard(exact, uri.exact) ||
    matchesWildcard(loose, uri.loose) ||
    matchesWildcard(bare, uri.bare) ||
    // A folder is denied with what is in it.
    matchesWildcard(bare, `${uri.bare}/`)
  )
}

/** Whether a pattern permits a URI: it has to in every way to read it. */
export function permitsUri({ exact, loose }: UriPattern, uri: UriForms): boolean {
  return matchesWildcard(exact, uri.exact) && matchesWildcard(loose, uri.loose)
}

const MAX_KNOWN = 20_000
const known = new Map<string, UriForms>()

/** The forms of a URI. Lists name the same URIs again and again, so the forms of recent URIs are kept. */
export function readUri(uri: string): UriForms {
  const before = known.get(uri)
  if (before) return before
  const forms = uriForms(uri)
  if (known.size >= MAX_KNOWN) known.clear()
  if (uri.length < 1000) known.set(uri, forms)
  return forms
}

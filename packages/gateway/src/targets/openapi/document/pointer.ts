import { own } from '../own.ts'

/** The value that a JSON Pointer (RFC 6901, as a URI fragment) names; undefined when there is no such value. */
export function followPointer(root: unknown, fragment: string): unknown {
  let value = root
  for (const token of pointerTokens(fragment)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined
    else value = own(value, token)
    if (value === undefined) return undefined
  }
  return value
}

export function pointerTokens(fragment: string): string[] {
  return fragment.split('/').slice(1).map(unescapeToken)
}

/** Descriptions in the wild put raw `%` into fragments; those are taken as they stand. */
function unescapeToken(token: string): string {
  let decoded = token
  if (token.includes('%')) {
    try {
      decoded = decodeURIComponent(token)
    } catch {
      // Not percent-encoded at all.
    }
  }
  return !decoded.includes('~') ? decoded : decoded.replaceAll('~1', '/').replaceAll('~0', '~')
}

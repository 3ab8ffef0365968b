/**
 * What stands before the scheme in the URIs of a target, from its prefix: `files` in `files+file:///notes.txt`.
 * Schemes hold letters, digits, "+", "-" and "." only, begin with a letter and know no case (RFC 3986, section 3.1).
 * It depends on the prefix alone, so that the URIs of one target say nothing about other targets.
 */
export function targetScheme(prefix: string): string {
  const scheme = prefix.replace(/[^A-Za-z0-9.-]/g, '-').toLowerCase()
  return /^[a-z]/.test(scheme) ? scheme : `x-${scheme}`
}

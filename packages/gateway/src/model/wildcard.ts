/** Matches `*` (any run) and `?` (one character) in time pattern × text, unlike a regular expression. */
export function matchesWildcard(pattern: string, text: string): boolean {
  let at = 0
  let next = 0
  let star = -1
  let resume = 0
  while (at < text.length) {
    if (next < pattern.length && pattern[next] === '*') {
      star = next++
      resume = at
    } else if (next < pattern.length && (pattern[next] === '?' || pattern[next] === text[at])) {
      next++
      at++
    } else if (star >= 0) {
      next = star + 1
      at = ++resume
    } else {
      return false
    }
  }
  while (pattern[next] === '*') next++
  return next === pattern.length
}

/** Whether everything that the narrow pattern matches is matched by the wide one as well. */
export function coversPattern(wide: string, narrow: string): boolean {
  // A `*` of the narrow pattern counts as a character that only a `*` of the wide pattern matches.
  return matchesWildcard(narrow.includes('*') ? wide.replaceAll('?', '\0') : wide, narrow)
}

import { matchesWildcard, type ObjectPattern, parseObjectPattern, suggest } from '../../model/index.ts'
import type { Place, Section } from './section.ts'

/** Reads a list of `[KIND:]TARGET/NAME`, and warns of targets that are not there. */
export function compilePatterns(
  section: Section<readonly string[]>,
  targets: readonly string[],
): ObjectPattern[] {
  return section.each().map((text) => {
    const pattern = parseObjectPattern(text.value)
    warnUnknown({ wanted: pattern.target, known: targets, what: 'target' }, text)
    return pattern
  })
}

/** A rule about nothing is most likely a slip of the pen, and a dangerous one when it should forbid. */
export function warnUnknown(
  { wanted, known, what }: { wanted: string; known: readonly string[]; what: string },
  section: Place,
): void {
  if (/^\*+$/.test(wanted) || known.some((name) => matchesWildcard(wanted, name))) return
  const close = suggest(wanted, known)
  section.report({
    severity: 'warning',
    code: 'ineffective-rule',
    message: `No ${what} is called "${wanted}"`,
    fix: close ? `Did you mean "${close}"?` : `Known: ${known.join(', ') || 'none'}`,
  })
}

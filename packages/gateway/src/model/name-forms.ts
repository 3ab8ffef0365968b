import { decodeFully, UNSEEN } from './uri/escapes.ts'
import { matchesWildcard } from './wildcard.ts'

/** The forms of a name, like `UriForms` for a URI. Rules compare these forms and never the text itself. */
export interface NameForms {
  /** The name with each character written in one way (NFC). */
  readonly exact: string
  /**
   * Equal for names that people or lenient servers take for the same: without escapes, unseen characters, spaces around
   * it, width and case.
   */
  readonly loose: string
}

/** Nearly all names: they have nothing to normalise but their case. */
const PLAIN = /^[\x20-\x24\x26-\x7e]*$/

/** Reads a name, or a wildcard pattern for names. */
export function nameForms(text: string): NameForms {
  if (PLAIN.test(text)) return { exact: text, loose: text.toLowerCase().trim() }
  const seen = decodeFully(text).text.replace(UNSEEN, '')
  const loose = seen.normalize('NFKC').toLowerCase().normalize('NFKC').trim()
  return { exact: text.normalize('NFC'), loose }
}

/** Whether a pattern forbids a name. It does when any form of the name matches. */
export function forbidsName(pattern: NameForms, name: NameForms): boolean {
  return matchesWildcard(pattern.exact, name.exact) || matchesWildcard(pattern.loose, name.loose)
}

/** Whether a pattern permits a name: it has to in every way to read it. */
export function permitsName(pattern: NameForms, name: NameForms): boolean {
  return matchesWildcard(pattern.exact, name.exact) && matchesWildcard(pattern.loose, name.loose)
}

/** Include and exclude as everywhere in the configuration: no include means all, exclude has the last word. */
export function isSelected(
  name: string,
  { include, exclude }: { readonly include: readonly string[]; readonly exclude: readonly string[] },
): boolean {
  const forms = nameForms(name)
  return (
    (include.length === 0 || include.some((pattern) => permitsName(nameForms(pattern), forms))) &&
    !exclude.some((pattern) => forbidsName(nameForms(pattern), forms))
  )
}

import { createHash } from 'node:crypto'
import type { NamesModel, SelectionModel } from '../model/index.ts'

const HASH_CHARACTERS = 6

/** The name that clients see: `target_tool` unless configured otherwise; long names end in a hash. */
export function publicName(
  own: string,
  prefix: string,
  selection: SelectionModel,
  names: NamesModel,
): string {
  const renamed = Object.hasOwn(selection.rename, own) ? selection.rename[own]! : own
  const full = prefix === '' ? renamed : `${prefix}${names.separator}${renamed}`
  return shorten(full, names.maxLength)
}

/** Deterministic, so that the same long name is shortened alike by every replica and after every start. */
export function shorten(name: string, maxLength: number): string {
  return name.length <= maxLength ? name : marked(name, shortHash(name), maxLength)
}

/** Sets a second owner of a name apart, from those who have taken what this would be called as well. */
export function disambiguate(
  name: string,
  target: string,
  maxLength: number,
  isTaken: (name: string) => boolean,
): string {
  for (let salt = `${target}\n${name}`; ; salt += '\n') {
    const apart = marked(name, shortHash(salt), maxLength)
    if (!isTaken(apart)) return apart
  }
}

function marked(name: string, mark: string, maxLength: number): string {
  const kept = name.slice(0, maxLength - mark.length - 1)
  // Half a character cannot be written down in headers, and not every client can read it.
  return `${kept.replace(/[\uD800-\uDBFF]$/, '')}_${mark}`
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)
}

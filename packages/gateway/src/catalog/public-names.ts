import { createHash } from 'node:crypto'
import type { NamesModel, SelectionModel } from '../model/index.ts'

const HASH_CHARACTERS = 6

/**
 * The name that clients see: `target_tool`, always prefixed unless the configuration says otherwise, so that
 * adding a server never renames anything. Names that are too long keep their beginning and end in a hash.
 */
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
  if (name.length <= maxLength) return name
  return `${name.slice(0, maxLength - HASH_CHARACTERS - 1)}_${hash(name)}`
}

/** Sets a second owner of a name apart. */
export function disambiguate(name: string, target: string, maxLength: number): string {
  const suffix = `_${hash(`${target}\n${name}`)}`
  return name.slice(0, maxLength - suffix.length) + suffix
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)
}

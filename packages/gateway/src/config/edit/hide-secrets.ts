import { findSecrets, MASK } from './mask-secrets.ts'
import type { ConfigFormat } from '../document/source-document.ts'

/** How many masks a text holds. */
export function countMasks(text: string): number {
  return text.match(MASK)?.length ?? 0
}

/** A configuration that can be shown and edited without its secrets, and got back with them. */
export interface HiddenText {
  readonly text: string
  /** Puts secrets back in the place of their masks; `unknown` names masks that stand for nothing. */
  restore(edited: string): RestoredText
  /** The same for a value, an entry of the file, say. */
  restoreValue<T>(edited: T): T
}

export interface RestoredText {
  readonly text: string
  readonly unknown: readonly { readonly mask: string; readonly offset: number }[]
  /** Turns an offset in the restored text into the offset in the edited text. */
  toEdited(offset: number): number
}

/**
 * Replaces secrets that are written in a configuration by masks. Each secret gets its own mask, a plain text in JSON
 * and in YAML. Texts that `scrub` would remove from the shown file have to be masked here, because only masks can be
 * restored.
 */
export async function hideSecrets(
  source: string,
  format: ConfigFormat,
  scrub?: (text: string) => string,
): Promise<HiddenText> {
  const secrets: string[] = []
  let text = ''
  let at = 0
  for (const [start, end] of await findSecrets(source, format, scrub)) {
    secrets.push(source.slice(start, end))
    text += `${source.slice(at, start)}••••${secrets.length}••••`
    at = end
  }
  text += source.slice(at)
  const secretAt = (number: string): string | undefined => secrets[Number(number) - 1]
  return {
    text,
    restore: (edited) => restore(edited, secretAt),
    restoreValue: (edited) => restoreValue(edited, (number) => unquoted(secretAt(number))),
  }
}

function restore(edited: string, secretAt: (number: string) => string | undefined): RestoredText {
  const unknown: { mask: string; offset: number }[] = []
  /** Where each mask begins in both texts, and how long it is in each. */
  const places: { edited: number; restored: number; editedLength: number; restoredLength: number }[] = []
  let grown = 0
  const text = edited.replaceAll(MASK, (mask: string, number: string | undefined, offset: number) => {
    const value = number === undefined ? undefined : secretAt(number)
    if (value === undefined) unknown.push({ mask, offset })
    const put = value ?? mask
    places.push({
      edited: offset,
      restored: offset + grown,
      editedLength: mask.length,
      restoredLength: put.length,
    })
    grown += put.length - mask.length
    return put
  })
  const toEdited = (offset: number): number => {
    const place = places.findLast(({ restored }) => restored <= offset)
    if (!place) return offset
    const past = offset - place.restored - place.restoredLength
    return past < 0 ? place.edited : place.edited + place.editedLength + past
  }
  return { text, unknown, toEdited }
}

function restoreValue<T>(edited: T, secretAt: (number: string) => string | undefined): T {
  if (typeof edited === 'string') {
    return edited.replaceAll(MASK, (mask, number = '') => secretAt(number) ?? mask) as T
  }
  if (Array.isArray(edited)) return edited.map((part) => restoreValue(part, secretAt)) as T
  if (typeof edited !== 'object' || edited === null) return edited
  return Object.fromEntries(
    Object.entries(edited).map(([key, part]) => [key, restoreValue(part, secretAt)]),
  ) as T
}

/** Between quotes in the file, a secret is written with escapes; as a value it has no escapes. */
function unquoted(written: string | undefined): string | undefined {
  if (written === undefined || !written.includes('\\')) return written
  try {
    return JSON.parse(`"${written}"`) as string
  } catch {
    return written
  }
}

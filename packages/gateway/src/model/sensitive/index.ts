import type { Detector } from './detector.ts'
import { highEntropy, jwt, privateKey, vendorKey } from './keys.ts'
import { card, iban } from './money.ts'
import { nationalIds } from './national-ids.ts'
import { email, phone } from './people.ts'

export { replaceFound } from './detector.ts'
export { SPELLED } from './first-look.ts'
export { compileRe2, loadRe2 } from './re2.ts'
export { withoutHidden } from './hidden-text.ts'

/**
 * All detectors. The order matters where two detectors find the same text: the narrower one comes first, and the next
 * one does not see the replaced text.
 */
const ALL: readonly Detector[] = [
  privateKey,
  jwt,
  vendorKey,
  email,
  iban,
  card,
  ...nationalIds,
  phone,
  highEntropy,
]

const GROUPS: Readonly<Record<string, readonly Detector[]>> = {
  keys: [privateKey, jwt, vendorKey],
  'national-id': nationalIds,
}

/** Names that the configuration may use. */
export const detectorNames: readonly string[] = [...Object.keys(GROUPS), ...ALL.map(({ name }) => name)]

/** The detectors with these names or in these groups, in the order in which they are tried. */
export function detectorsFor(names: readonly string[]): Detector[] {
  const wanted = new Set(names.flatMap((name) => GROUPS[name]?.map((one) => one.name) ?? name))
  return ALL.filter(({ name }) => wanted.has(name))
}

import type { ConfigEffects } from '../../api/contract.ts'

/** `added notes; changed files.` */
export function inWords({ added, removed, changed }: ConfigEffects): string {
  const parts = [
    added.length > 0 && `added ${added.join(', ')}`,
    removed.length > 0 && `removed ${removed.join(', ')}`,
    changed.length > 0 && `changed ${changed.map(({ name }) => name).join(', ')}`,
  ].filter(Boolean)
  return parts.length === 0 ? 'No target was touched.' : `${parts.join('; ')}.`
}

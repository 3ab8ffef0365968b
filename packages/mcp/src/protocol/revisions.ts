/** Every revision Gantry speaks, oldest first. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

export type Revision = (typeof REVISIONS)[number]
/** Legacy: a session opened by `initialize`. Modern: every request stands alone. */
export type Era = 'legacy' | 'modern'

const FIRST_MODERN: Revision = '2026-07-28'
export const LEGACY_REVISIONS: readonly Revision[] = /* @__PURE__ */ REVISIONS.filter(
  (one) => one < FIRST_MODERN,
)
export const MODERN_REVISIONS: readonly Revision[] = /* @__PURE__ */ REVISIONS.filter(isModern)
export const LATEST_LEGACY: Revision = '2025-11-25'
export const LATEST_MODERN: Revision = '2026-07-28'

export function isRevision(value: unknown): value is Revision {
  return (REVISIONS as readonly unknown[]).includes(value)
}

/** Whether requests of a revision stand alone. Revisions are dates, so later ones compare as greater. */
export function isModern(revision: string): boolean {
  return revision >= FIRST_MODERN
}

export function eraOf(revision: string): Era {
  return isModern(revision) ? 'modern' : 'legacy'
}

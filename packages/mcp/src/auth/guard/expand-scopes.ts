/**
 * Makes the function that adds what scopes imply, over any number of steps. "Servers MUST account for scope
 * hierarchies, where a broader scope implies narrower ones" (2026-07-28, "Step-Up Authorization Flow").
 */
export function scopeExpander(
  implied: Readonly<Record<string, readonly string[]>> | undefined,
): (scopes: readonly string[]) => readonly string[] {
  if (implied === undefined) return (scopes) => scopes
  const table = new Map(Object.entries(implied))
  return (scopes) => {
    const all = new Set(scopes)
    // A Set also yields what is added while it is walked.
    for (const scope of all) for (const narrower of table.get(scope) ?? []) all.add(narrower)
    return [...all]
  }
}

import { readUri, type TargetModel } from '../../model/index.ts'
import { assignUris } from '../../catalog/public-uris.ts'
import type { CatalogEntry, EntryKind } from '../contract.ts'

/** What somebody means by a name. */
export interface WhySubject {
  /** As the catalog has it, shown to clients or not. */
  readonly entry?: CatalogEntry
  readonly target?: TargetModel
  /** The target's own name, as far as it can be told from the name. */
  readonly own?: string
  readonly kind?: EntryKind
  /** Whether the name is the target's, and not of something that it offers. */
  readonly isTarget: boolean
}

export interface SubjectSources {
  readonly targets: readonly TargetModel[]
  readonly entries: readonly CatalogEntry[]
  readonly separator: string
}

/** Finds what a name stands for: the name that clients use, a target's own, `target/name`, or a target. */
export function findSubject(name: string, sources: SubjectSources): WhySubject | undefined {
  const { targets, entries } = sources
  const targetOf = (entry: CatalogEntry): TargetModel | undefined =>
    targets.find((target) => target.name === entry.target)
  const subjectOf = (entry: CatalogEntry): WhySubject => {
    const target = targetOf(entry)
    return { entry, ...(target && { target }), own: entry.own, kind: entry.kind, isTarget: false }
  }
  const found = findEntry(name, entries)
  if (found) return subjectOf(found)
  const whole = targets.find((target) => target.name === name)
  if (whole) return { target: whole, isTarget: true }
  const guess = fromPrefix(name, sources)
  // The name that it would have, had it not been given another.
  const renamed = entries.find((entry) => entry.target === guess?.target?.name && entry.own === guess.own)
  const spelled = renamed ?? entries.find((entry) => isSpelling(name, guess, entry))
  return spelled ? subjectOf(spelled) : guess
}

/** A resource can be written in many ways; all of them are that resource. */
function isSpelling(
  name: string,
  guess: WhySubject | undefined,
  { kind, target, own }: CatalogEntry,
): boolean {
  if (kind !== 'resource') return false
  const asked = guess?.target?.name === target ? guess.own! : name
  return readUri(asked).exact === readUri(own).exact
}

/** Entries that clients see win over those that they do not. */
function findEntry(name: string, entries: readonly CatalogEntry[]): CatalogEntry | undefined {
  const tests: ((entry: CatalogEntry) => boolean)[] = [
    (entry) => entry.visible && entry.key === name,
    (entry) => entry.key === name,
    (entry) => `${entry.target}/${entry.own}` === name || `${entry.target}:${entry.own}` === name,
    (entry) => entry.visible && entry.own === name,
    (entry) => entry.own === name,
  ]
  for (const test of tests) {
    const found = entries.find(test)
    if (found) return found
  }
  return undefined
}

/** Nothing offers it; its beginning may still say whose it would be. */
function fromPrefix(name: string, { targets, separator }: SubjectSources): WhySubject | undefined {
  const assigned = assignUris(targets)
  const fitting = targets.flatMap((target): { target: TargetModel; own: string; kind?: EntryKind }[] => {
    if (name.startsWith(`${target.name}/`)) return [{ target, own: name.slice(target.name.length + 1) }]
    if (target.prefix === '') return []
    const uris = assigned.get(target.name)!
    if (/^[\w.+-]+:/.test(name) && uris.owns(name))
      return [{ target, own: uris.toOwn(name), kind: 'resource' }]
    const start = `${target.prefix}${separator}`
    return name.startsWith(start) ? [{ target, own: name.slice(start.length) }] : []
  })
  // The longest prefix: `git_hub_x` may belong to `git` or to `git_hub`.
  const best = fitting.sort((a, b) => b.target.prefix.length - a.target.prefix.length)[0]
  return best && { ...best, isTarget: false }
}

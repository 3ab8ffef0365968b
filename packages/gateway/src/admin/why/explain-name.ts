import { countSlips, readUri, type GatewayModel, type TargetModel } from '../../model/index.ts'
import type { CatalogEntry, Cause, WhyReport, EntryKind } from '../contract.ts'
import { entryCauses, policyCause, type EntryFacts, type Ruling } from './entry-causes.ts'
import { targetCauses, type TargetFacts } from './target-causes.ts'
import { PublicUris } from '../../catalog/public-uris.ts'

export interface WhyFacts {
  readonly model: GatewayModel
  readonly entries: readonly CatalogEntry[]
  target(name: string): TargetFacts | undefined
  entry(asked: string, entry: CatalogEntry): EntryFacts
  resource(target: string, own: string): UriRuling
}

interface UriRuling extends Ruling {
  /** Whether any resource of the target is kept from the caller. */
  readonly isRestricted: boolean
}

/** Why a name is missing, slow, denied, renamed or stale: the chain of causes from the gateway outwards. */
export function explainName(name: string, facts: WhyFacts): WhyReport {
  const { model, entries } = facts
  const subject = findSubject(name, { targets: model.targets, entries, separator: model.names.separator })
  const similar = similarNames(name, entries)
  const target = subject?.target && facts.target(subject.target.name)
  if (!subject || !target) {
    const chain = [notConfigured(name, model, similar)]
    return { name, verdict: 'missing', summary: chain[0]!.title, chain, similar }
  }
  const chain = targetCauses(target)
  const { entry } = subject
  const known = entry && facts.entry(name, entry)
  if (known) chain.push(...entryCauses(known))
  else if (!subject.isTarget && target.catalog?.snapshot) {
    const own = subject.own!
    const refused = subject.kind === 'resource' && refusedUri(facts.resource(target.model.name, own))
    chain.push(refused || notOffered(own, target.model.name, similarOwn(own, target.model.name, entries)))
  }
  return {
    name,
    ...judge(name, chain, subject.isTarget),
    chain,
    subject: {
      ...(subject.kind && { kind: subject.kind }),
      target: target.model.name,
      ...(subject.own !== undefined && { own: subject.own }),
      ...(entry?.visible && { key: entry.key }),
    },
    ...(known?.rules && { rules: known.rules }),
    similar: entry?.visible && entry.key === name ? [] : similar,
  }
}

function judge(
  name: string,
  chain: readonly Cause[],
  isTarget: boolean,
): Pick<WhyReport, 'verdict' | 'summary'> {
  const problem = chain.find(({ status }) => status === 'problem')
  if (problem) return { verdict: 'missing', summary: problem.title }
  const known = chain.findLast(({ code }) =>
    ['stale', 'slow', 'failing-calls', 'target-failing'].includes(code),
  )
  if (known) return { verdict: 'degraded', summary: known.title }
  const note = chain.find(({ code }) => ['renamed', 'shortened', 'collision'].includes(code))
  return {
    verdict: 'available',
    summary: note?.title ?? (isTarget ? `"${name}" works` : `"${name}" is available`),
  }
}

function notConfigured(name: string, { targets }: GatewayModel, similar: WhyReport['similar']): Cause {
  const hint = similar[0] && `Did you mean "${similar[0].key}"?`
  const names = targets.map((target) => target.name).join(', ') || 'none'
  return {
    code: 'not-configured',
    status: 'problem',
    title: `No target offers "${name}", and no target's names begin like it`,
    detail: `Targets: ${names}.`,
    fix: hint ?? 'Add the server that offers it: paste its command or URL into "Add target" of the console.',
  }
}

/** Why policy refuses a URI, in the form that it was decided about. */
function refusedUri(ruling: UriRuling): Cause | undefined {
  const { exact, isAmbiguous } = readUri(ruling.own)
  if (isAmbiguous && ruling.isRestricted) {
    return {
      code: 'denied',
      status: 'problem',
      title: `Servers can read "${ruling.own}" in several ways, so it is refused`,
      detail: `Its canonical form would be "${exact}".`,
      fix: `Ask for "${exact}".`,
      target: ruling.target,
    }
  }
  const cause = policyCause({ ...ruling, own: exact })
  return ruling.verdict.allowed
    ? undefined
    : { ...cause, detail: `It is read as "${exact}". ${cause.detail}` }
}

function notOffered(own: string, target: string, similar: string | undefined): Cause {
  return {
    code: 'not-offered',
    status: 'problem',
    title: `"${target}" offers nothing called "${own}"`,
    fix:
      similar === undefined
        ? `See what it offers: gantry tools ${target}. Some servers offer more when they are configured for it.`
        : `Did you mean "${similar}"?`,
    target,
  }
}

function similarOwn(own: string, target: string, entries: readonly CatalogEntry[]): string | undefined {
  return similarNames(
    own,
    entries.filter((entry) => entry.target === target),
  )[0]?.key
}

interface WhySubject {
  /** As the catalog has it, shown to clients or not. */
  readonly entry?: CatalogEntry
  readonly target?: TargetModel
  /** The target's own name, as far as it can be told from the name. */
  readonly own?: string
  readonly kind?: EntryKind
  /** Whether the name is the target's, and not of something that it offers. */
  readonly isTarget: boolean
}

interface SubjectSources {
  readonly targets: readonly TargetModel[]
  readonly entries: readonly CatalogEntry[]
  readonly separator: string
}

/** Finds what a name stands for: the name that clients use, a target's own, `target/name`, or a target. */
function findSubject(name: string, sources: SubjectSources): WhySubject | undefined {
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

/** Entries that clients see win over hidden ones. */
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
  const fitting = targets.flatMap((target): { target: TargetModel; own: string; kind?: EntryKind }[] => {
    if (name.startsWith(`${target.name}/`)) return [{ target, own: name.slice(target.name.length + 1) }]
    if (target.prefix === '') return []
    const uris = new PublicUris(target.prefix)
    if (/^[\w.+-]+:/.test(name) && uris.owns(name))
      return [{ target, own: uris.toOwn(name), kind: 'resource' }]
    const start = `${target.prefix}${separator}`
    return name.startsWith(start) ? [{ target, own: name.slice(start.length) }] : []
  })
  // The longest prefix: `git_hub_x` may belong to `git` or to `git_hub`.
  const best = fitting.sort((a, b) => b.target.prefix.length - a.target.prefix.length)[0]
  return best && { ...best, isTarget: false }
}

const MOST = 5
/** Longer names are not compared: the time grows with the square of the length, and long names are pasted. */
const LONGEST = 80

function similarNames(name: string, entries: readonly CatalogEntry[]): WhyReport['similar'] {
  const wanted = name.toLowerCase().slice(0, LONGEST)
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  return entries
    .filter((entry) => entry.visible)
    .map((entry) => ({ entry, distance: Math.min(rank(wanted, entry.key), rank(wanted, entry.own)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ entry: { kind, key, target } }) => ({ kind, key, target }))
}

function rank(wanted: string, name: string): number {
  const candidate = name.toLowerCase().slice(0, LONGEST)
  if (candidate === wanted) return 0
  if (wanted.length > 2 && (candidate.endsWith(wanted) || wanted.endsWith(candidate))) return 1
  return countSlips(wanted, candidate)
}

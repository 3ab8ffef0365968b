import { readUri, type GatewayModel } from '../../model/index.ts'
import type { CatalogEntry, Cause, WhyReport } from '../contract.ts'
import { entryCauses, policyCause, type EntryFacts, type Ruling } from './entry-causes.ts'
import { findSubject } from './find-subject.ts'
import { similarNames } from './similar-names.ts'
import { targetCauses, type TargetFacts } from './target-causes.ts'

export interface WhyFacts {
  readonly model: GatewayModel
  readonly entries: readonly CatalogEntry[]
  target(name: string): TargetFacts | undefined
  entry(asked: string, entry: CatalogEntry): EntryFacts
  /** What policy says about a resource that is not listed. */
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
  if (entry) chain.push(...entryCauses(facts.entry(name, entry)))
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

import type { GatewayModel } from '../../model/index.ts'
import type { CatalogEntry, Cause, WhyReport } from '../contract.ts'
import { entryCauses, type EntryFacts } from './entry-causes.ts'
import { findSubject } from './find-subject.ts'
import { similarNames } from './similar-names.ts'
import { targetCauses, type TargetFacts } from './target-causes.ts'

export interface WhyFacts {
  readonly model: GatewayModel
  readonly entries: readonly CatalogEntry[]
  target(name: string): TargetFacts | undefined
  entry(asked: string, entry: CatalogEntry): EntryFacts
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
    chain.push(
      notOffered(subject.own!, target.model.name, similarOwn(subject.own!, target.model.name, entries)),
    )
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

import { describePrincipal } from '@gantry/mcp/exchange'
import { type Subject, Permissions, type PolicyObject } from '../../chain/policy/permissions.ts'
import type { AdminHost } from '../admin-host.ts'
import { objectKind, type CatalogLister } from '../catalog/catalog-lister.ts'
import type { CatalogEntry } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { explainTarget, mainOf, stateOf, stderrTexts, toTrafficStats } from '../targets/target-cards.ts'
import type { EntryFacts } from './entry-causes.ts'
import { explainName, type WhyFacts } from './explain-name.ts'
import type { TargetFacts } from './target-causes.ts'
import { keyPrincipal, type AuthModel } from '../../model/index.ts'
import { ApiError } from '../api-error.ts'

/** `why NAME`: gathers what is known and has it explained. */
export function whyHandlers(host: AdminHost, lister: CatalogLister): Pick<Handlers, 'why'> {
  return {
    why: ({ query }) => {
      const asker = readAsker(query, host.gateway.model.auth)
      return explainName(query.name, {
        model: host.gateway.model,
        entries: lister.list().entries,
        target: (name) => targetFacts(host, name),
        entry: (asked, entry) => entryFacts(host, asked, entry, asker),
        resource: (target, own) => resourceRuling(host, target, own, asker),
      })
    },
  }
}

function targetFacts({ gateway }: AdminHost, name: string): TargetFacts | undefined {
  const target = gateway.target(name)
  if (!target) return undefined
  const catalog = gateway.catalog.of(target)
  const retryAt = mainOf(target)?.retryAt ?? 0
  return {
    model: target.model,
    state: stateOf(target),
    problem: explainTarget(target, catalog),
    retryAt: retryAt > Date.now() ? retryAt : undefined,
    catalog,
    stderr: stderrTexts(target),
    eras: target.olderEra.description,
  }
}

function rulingOf(
  { gateway }: AdminHost,
  object: PolicyObject,
  asker: Subject,
): Pick<EntryFacts, 'verdict' | 'who'> {
  return {
    verdict: new Permissions(gateway.model.policy, asker).verdict(object),
    who: asker ? describePrincipal(asker.principal) : 'clients without a name',
  }
}

function resourceRuling(
  host: AdminHost,
  target: string,
  own: string,
  asker: Subject,
): ReturnType<WhyFacts['resource']> {
  const { policy } = host.gateway.model
  const { include, exclude } = host.gateway.target(target)!.model.resources
  const mayAll = new Permissions(policy, asker).mayCallAll(target, 'resources')
  const ruling = rulingOf(host, { kind: 'resources', target, name: own }, asker)
  return { ...ruling, target, own, isRestricted: !mayAll || include.length + exclude.length > 0 }
}

function entryFacts(host: AdminHost, asked: string, entry: CatalogEntry, asker: Subject): EntryFacts {
  const { gateway } = host
  const target = gateway.target(entry.target)!
  const kind = objectKind(entry.kind)
  const catalog = gateway.catalog.of(target)
  return {
    asked,
    entry,
    selection: target.model[kind],
    ...rulingOf(host, { kind, target: entry.target, name: entry.own }, asker),
    staleSince: catalog?.snapshot?.fetchedAt,
    staleReason: catalog?.problem,
    stats: toTrafficStats(gateway.view.statsOf(entry.target).summary()),
  }
}

const FORMS = 'key:NAME, person:SUBJECT or workload:SUBJECT'

/** Reads `KIND:SUBJECT` as people type it. The first word is a kind, and all that follows is the subject. */
function readAsker(asked: { as?: string; issuer?: string }, { apiKeys, bearer }: AuthModel): Subject {
  if (asked.as === undefined) return undefined
  const [, kind, subject] = /^(key|person|workload):(.+)$/s.exec(asked.as) ?? []
  if (kind === undefined || subject === undefined) {
    throw new ApiError('bad_request', `"${asked.as}" names no caller`, { fix: `Write ${FORMS}.` })
  }
  if (kind === 'key') {
    const key = apiKeys.find(({ name }) => name === subject)
    return { principal: keyPrincipal(subject), scopes: key?.scopes ?? [] }
  }
  const issuer = asked.issuer ?? bearer?.issuer
  return { principal: { kind: kind as 'person' | 'workload', issuer, subject }, scopes: [] }
}

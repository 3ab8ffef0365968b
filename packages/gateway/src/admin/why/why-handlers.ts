import { describePrincipal, isJsonObject, jsonReader, type JsonObject } from '@gantry/mcp/exchange'
import type { PolicyCall, PolicyObject, Subject } from '../../rules/facts.ts'
import { Permissions } from '../../rules/permissions.ts'
import type { AdminHost } from '../admin-host.ts'
import { objectKind, type CatalogLister } from '../catalog/catalog-lister.ts'
import type { CatalogEntry, Routes } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { explainTarget, mainOf, stateOf, stderrTexts, toTrafficStats } from '../targets/target-cards.ts'
import type { EntryFacts } from './entry-causes.ts'
import { explainName, type WhyFacts } from './explain-name.ts'
import type { TargetFacts } from './target-causes.ts'
import { aboutView, namedInView, requireEndpoint } from './why-in-view.ts'
import { endpointModel } from '../../model/index.ts'
import { askedCaller } from '../access/asked-caller.ts'
import { ApiError } from '../api-error.ts'

/** The caller, and the arguments when the question is about a call. */
interface Asked {
  readonly asker: Subject
  /** The endpoint; empty for the common endpoint. */
  readonly view: string
  readonly call: PolicyCall | undefined
}

/** `why NAME`: gathers what is known and has it explained. */
export function whyHandlers(host: AdminHost, lister: CatalogLister): Pick<Handlers, 'why'> {
  return {
    why: async ({ query }) => {
      const { model } = host.gateway
      const given = await readAsked(query, host)
      const named = namedInView(query.name, given.view, model)
      const asked = { ...given, view: named?.view ?? given.view }
      const report = explainName(named?.own ?? query.name, {
        model,
        entries: lister.list().entries,
        target: (name) => targetFacts(host, name),
        entry: (name, entry) => entryFacts(host, name, entry, asked),
        resource: (target, own) => resourceRuling(host, target, own, asked),
      })
      return aboutView(report, { ...asked, name: query.name }, model)
    },
  }
}

function targetFacts({ gateway }: AdminHost, name: string): TargetFacts | undefined {
  const target = gateway.target(name)
  if (!target) return undefined
  const catalog = gateway.catalog.of(target)
  const main = mainOf(target)
  const retryAt = main?.retryAt ?? 0
  const spoken = main?.connection?.spoken
  return {
    model: target.model,
    state: stateOf(target),
    problem: explainTarget(target, catalog),
    retryAt: retryAt > Date.now() ? retryAt : undefined,
    catalog,
    stderr: stderrTexts(target),
    eras: spoken ? spoken.eras : target.olderEra.description,
  }
}

const LOOKED_AT = 500
const TOLD = 3

/** How the last calls of a target failed, and why its last questions were refused, each once. */
function lastErrors({ gateway }: AdminHost, target: string): Pick<EntryFacts, 'lastErrors' | 'lastRefusals'> {
  const failed = gateway.exchanges
    .recent(LOOKED_AT)
    .filter((one) => one.target === target && one.error !== undefined && !one.isOurs)
  const told = (isQuestion: boolean): string[] => {
    const wanted = failed.filter(({ status }) => (status === 'refused') === isQuestion)
    return [...new Set(wanted.map((one) => one.error!))].slice(0, TOLD)
  }
  return { lastErrors: told(false), lastRefusals: told(true) }
}

function rulingOf(
  { gateway }: AdminHost,
  object: PolicyObject,
  { asker, call, view }: Asked,
): Pick<EntryFacts, 'verdict' | 'who' | 'isCall' | 'rules'> {
  const { policy } = endpointModel(gateway.model, view)
  const caller = { auth: asker, view }
  const verdict = new Permissions(policy, caller).verdict(object, call)
  const explained = new Permissions(policy.trial ?? policy, caller).explain(object, call)
  return {
    verdict,
    isCall: call !== undefined,
    who: asker ? describePrincipal(asker.principal) : 'clients without a name',
    rules: explained.map(({ rule, says, failure }) => ({
      rule: rule.name,
      says,
      decides: verdict.rule === rule.name,
      mode: policy.rules.includes(rule) ? 'enforce' : 'audit',
      ...(rule.when && { when: rule.when.source }),
      ...(failure !== undefined && { failure }),
      ...(rule.message !== undefined && { message: rule.message }),
    })),
  }
}

function resourceRuling(
  host: AdminHost,
  target: string,
  own: string,
  asked: Asked,
): ReturnType<WhyFacts['resource']> {
  const { policy } = endpointModel(host.gateway.model, asked.view)
  const { include, exclude } = host.gateway.target(target)!.model.resources
  const mayAll = new Permissions(policy, { auth: asked.asker, view: asked.view }).mayCallAll(
    target,
    'resources',
  )
  const ruling = rulingOf(host, { kind: 'resources', target, name: own }, asked)
  return { ...ruling, target, own, isRestricted: !mayAll || include.length + exclude.length > 0 }
}

function entryFacts(host: AdminHost, name: string, entry: CatalogEntry, asked: Asked): EntryFacts {
  const { gateway } = host
  const target = gateway.target(entry.target)!
  const kind = objectKind(entry.kind)
  const catalog = gateway.catalog.of(target)
  const isTemplate = entry.kind === 'template'
  const item = kind === 'tools' ? catalog?.snapshot?.tools.find((one) => one.name === entry.own) : undefined
  return {
    asked: name,
    entry,
    selection: target.model[kind],
    ...rulingOf(host, { kind, target: entry.target, name: entry.own, item, isTemplate }, asked),
    staleSince: catalog?.snapshot?.fetchedAt,
    staleReason: catalog?.problem,
    stats: toTrafficStats(gateway.exchanges.statsOf(entry.target).summary()),
    ...lastErrors(host, entry.target),
  }
}

async function readAsked(query: Routes['why']['query'], host: AdminHost): Promise<Asked> {
  const { as, issuer, view = '' } = query
  requireEndpoint(view, host.gateway.model)
  const asker = await askedCaller({ as, issuer, claims: readObject('claims', query.claims) }, host)
  const args = readObject('args', query.args)
  return { asker, view, call: args && { args, now: new Date() } }
}

const readJson = jsonReader('source')

function readObject(name: string, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  try {
    const value = readJson(text)
    if (isJsonObject(value)) return value
  } catch {
    // Said below.
  }
  throw new ApiError('bad_request', `"${name}" is not a JSON object`, {
    fix: `Write it like {"name": "value"}.`,
  })
}

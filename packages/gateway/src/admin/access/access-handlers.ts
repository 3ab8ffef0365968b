import { describePrincipal, samePrincipal, type Principal } from '@gantry/mcp/exchange'
import type {
  ObjectPattern,
  RateModel,
  ResultRule,
  RuleModel,
  Sensitive,
  WhoModel,
} from '../../model/index.ts'
import { ManagedKeys } from '../../identity/keys/managed-keys.ts'
import type { AdminHost } from '../admin-host.ts'
import type {
  Access,
  AccessCaller,
  AccessKey,
  AccessLimit,
  AccessPolicy,
  AccessResultRule,
  AccessView,
} from '../contract.ts'
import type { Handlers } from '../handlers.ts'

/** How many shares of a limit are shown: those that are nearest to the limit. */
const SHOWN_SHARES = 5

/** Answers questions about access: keys, callers, rules, limits and views. */
export function accessHandlers(host: AdminHost): Pick<Handlers, 'access'> {
  const managed = new ManagedKeys(host.keys, () => host.gateway.model)
  return { access: () => readAccess(host, managed) }
}

async function readAccess({ gateway }: AdminHost, managed: ManagedKeys): Promise<Access> {
  const { auth, results, limits, views } = gateway.model
  const callers = callersOf(gateway)
  return {
    required: auth.required,
    acceptingKeys: managed.isAccepting,
    keys: (await managed.list()).map((key) => ({ ...key, ...useOf(key.name, callers) })),
    issuers: auth.issuers.map(({ issuer, scopes }) => ({ issuer, scopes })),
    callers,
    policy: policyOf(gateway),
    limits: await Promise.all(limits.rates.map((limit) => limitOf(limit, gateway))),
    results: results.map(resultRuleOf),
    found: Object.entries(gateway.findings.counts).map(([name, counts]) => ({ name, ...counts })),
    views: views.map(
      ({ name, title, use, who, entries }): AccessView => ({
        name,
        ...(title !== undefined && { title }),
        use: use.map(patternText),
        ...whoText(who),
        shaped: entries.size,
      }),
    ),
  }
}

type Gateway = AdminHost['gateway']

/** Modern requests and sessions of one principal are one caller. */
function callersOf({ exchanges }: Gateway): AccessCaller[] {
  const found: {
    principal: Principal | undefined
    clients: Set<string>
    requests: number
    lastSeen: number
  }[] = []
  for (const { principal, client, requests, lastSeen, reach } of exchanges.clients.values()) {
    if (reach === 'playground') continue
    let caller = found.find((one) => samePrincipal(one.principal, principal))
    if (!caller) {
      caller = { principal, clients: new Set(), requests: 0, lastSeen: 0 }
      found.push(caller)
    }
    caller.clients.add(client.info?.name ?? 'without a name')
    caller.requests += requests
    caller.lastSeen = Math.max(caller.lastSeen, lastSeen)
  }
  return found
    .sort((one, other) => other.lastSeen - one.lastSeen)
    .map(({ principal, clients, requests, lastSeen }) => ({
      ...(principal && { as: `${principal.kind}:${principal.subject}` }),
      ...(principal?.issuer !== undefined && { issuer: principal.issuer }),
      clients: [...clients],
      requests,
      lastSeen,
    }))
}

function useOf(key: string, callers: readonly AccessCaller[]): Pick<AccessKey, 'requests' | 'lastSeen'> {
  const caller = callers.find(({ as }) => as === `key:${key}`)
  return caller ? { requests: caller.requests, lastSeen: caller.lastSeen } : { requests: 0 }
}

function policyOf({ model: { policy }, rulings }: Gateway): AccessPolicy {
  const { fallback, rules } = policy.trial ?? policy
  return {
    fallback,
    byDefault: rulings.of(undefined),
    rules: rules.map((rule: RuleModel) => ({
      name: rule.name,
      mode: policy.rules.includes(rule) ? 'enforce' : 'audit',
      allow: rule.allow.map(patternText),
      deny: rule.deny.map(patternText),
      ...whoText(rule.who),
      ...(rule.approve ? { needs: 'approval' as const } : rule.confirm && { needs: 'confirmation' as const }),
      ...(rule.when && { when: rule.when.source }),
      ...(rule.message !== undefined && { message: rule.message }),
      ...rulings.of(rule.name),
    })),
  }
}

async function limitOf(limit: RateModel, { rates, store }: Gateway): Promise<AccessLimit> {
  const { shares, total } = await rates.fills(limit, store, SHOWN_SHARES)
  return {
    name: limit.name,
    for: limit.for.map(patternText),
    ...(limit.by && { by: limit.by.source }),
    shared: limit.shared,
    numbers: numbersOf(limit),
    refused: rates.refusedBy(limit.name),
    counted: total,
    shares,
  }
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [1, 's'],
  [60, 'm'],
  [3600, 'h'],
  [86_400, 'd'],
]

function numbersOf({ rate, perDay, concurrent }: RateModel): string[] {
  const unit = UNITS.find(([seconds]) => seconds === rate?.seconds)?.[1] ?? `${rate?.seconds} s`
  return [
    ...(rate ? [`${rate.calls}/${unit}, burst ${rate.burst}`] : []),
    ...(perDay === undefined ? [] : [`${perDay} a day`]),
    ...(concurrent === undefined ? [] : [`${concurrent} at the same time`]),
  ]
}

function resultRuleOf({ name, maxTokens, untrusted, stripHidden, ...rule }: ResultRule): AccessResultRule {
  const names = (looked: readonly Sensitive[]): string[] => looked.map((one) => one.name)
  return {
    name,
    for: rule.for.map(patternText),
    mask: names(rule.mask),
    drop: names(rule.drop),
    refuse: names(rule.refuse),
    untrusted,
    stripHidden,
    ...(maxTokens !== undefined && { maxTokens }),
  }
}

function patternText({ kind, target, name }: ObjectPattern): string {
  return `${kind === undefined ? '' : `${kind}:`}${target}/${name}`
}

/** In words; nothing for everybody. */
function whoText({ principals, scopes, apiKeys }: WhoModel): { who?: string } {
  const parts = [
    ...apiKeys.map((name) => `key ${name}`),
    ...principals.map((one) => describePrincipal(one)),
    ...scopes.map((scope) => `scope ${scope}`),
  ]
  return parts.length > 0 ? { who: parts.join(', ') } : {}
}

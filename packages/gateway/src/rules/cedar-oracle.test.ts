import { isAuthorized } from '@cedar-policy/cedar-wasm/nodejs'
import { expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { configFromValue } from '../config/index.ts'
import { keyPrincipal } from '../model/index.ts'
import type { Caller, PolicyObject } from './facts.ts'
import { Permissions } from './permissions.ts'

// The same policies, written for Gantry and for Cedar, have to decide alike. Cedar passes over a policy that fails,
// and Gantry denies, so no condition here fails.

const ISSUER = 'https://id.example.com'
const person = (subject: string, groups: string[]): Caller => ({
  auth: {
    principal: { kind: 'person', issuer: ISSUER, subject },
    scopes: [],
    claims: { groups, level: groups.length },
  },
  client: { info: { name: 'app', version: '1' }, version: '2026-07-28' },
  view: '',
})
const CALLERS: Record<string, Caller> = {
  ann: person('ann', ['support']),
  bob: person('bob', ['support', 'leads']),
  ci: {
    ...person('', []),
    auth: { principal: keyPrincipal('ci'), scopes: ['deploy'], claims: { groups: [], level: 0 } },
  },
  nobody: { ...person('', []), auth: undefined },
}

const tool = (target: string, name: string, annotations: JsonObject = {}): PolicyObject => ({
  kind: 'tools',
  target,
  name,
  item: { annotations },
})
const CALLS: [PolicyObject, JsonObject][] = [
  [tool('payments', 'create_refund'), { amount: 900, currency: 'EUR' }],
  [tool('payments', 'create_refund'), { amount: 20, currency: 'USD' }],
  [tool('payments', 'list_refunds', { readOnlyHint: true, destructiveHint: false }), {}],
  [tool('github', 'delete_repo'), { repo: 'sandbox-1', force: true }],
  [tool('github', 'delete_repo'), { repo: 'main', tags: ['a', 'keep'] }],
  [{ kind: 'resources', target: 'docs', name: 'doc://drafts/1' }, {}],
]

interface Policy {
  readonly name: string
  readonly gantry: object
  readonly cedar: string
}

const ALLOW_ALL = 'permit(principal, action, resource);'
const POLICIES: Policy[] = [
  { name: 'the default allows', gantry: {}, cedar: ALLOW_ALL },
  { name: 'the default denies', gantry: { default: 'deny' }, cedar: '' },
  {
    name: 'an amount',
    gantry: { rules: [{ deny: ['payments/*'], when: 'has(args.amount) && args.amount > 500' }] },
    cedar: `${ALLOW_ALL} forbid(principal, action, resource in Target::"payments")
      when { context.args has amount && context.args.amount > 500 };`,
  },
  {
    name: 'an amount, but for leads',
    gantry: {
      default: 'deny',
      rules: [
        { allow: ['payments/*'], when: '!has(args.amount) || args.amount <= 500 || "leads" in groups' },
        { allow: ['docs/*'] },
      ],
    },
    cedar: `permit(principal, action, resource in Target::"payments")
      when { !(context.args has amount) || context.args.amount <= 500 || principal in Group::"leads" };
      permit(principal, action, resource in Target::"docs");`,
  },
  {
    name: 'rules that contradict each other',
    gantry: {
      default: 'deny',
      rules: [
        { allow: ['*'], when: '"support" in groups' },
        { deny: ['github/*'], when: '!("leads" in groups)' },
        { allow: ['github/delete_repo'] },
      ],
    },
    cedar: `permit(principal, action, resource) when { principal in Group::"support" };
      forbid(principal, action, resource in Target::"github") unless { principal in Group::"leads" };
      permit(principal, action, resource == Object::"github/delete_repo");`,
  },
  {
    name: 'hints of tools',
    gantry: {
      rules: [{ deny: ['tools:*'], when: 'annotations.destructiveHint && principal.kind != "person"' }],
    },
    cedar: `${ALLOW_ALL} forbid(principal, action, resource)
      when { resource.kind == "tool" && resource.destructive && principal.kind != "person" };`,
  },
  {
    name: 'names and texts',
    gantry: {
      default: 'deny',
      rules: [
        {
          allow: ['github/*'],
          when: 'has(args.repo) && args.repo.startsWith("sandbox-") && tool.endsWith("_repo")',
        },
        { allow: ['tools:payments/list_*'] },
        {
          allow: ['resources:docs/doc://drafts/*'],
          when: 'uri.startsWith("doc://drafts/") && has(claims.level) && claims.level > 1',
        },
      ],
    },
    cedar: `permit(principal, action, resource in Target::"github")
      when { context.args has repo && context.args.repo like "sandbox-*" && resource.name like "*_repo" };
      permit(principal, action, resource in Target::"payments")
      when { resource.kind == "tool" && resource.name like "list_*" };
      permit(principal, action, resource in Target::"docs")
      when { resource.kind == "resource" && resource.name like "doc://drafts/*" && principal.level > 1 };`,
  },
  {
    name: 'lists and alternatives',
    gantry: {
      rules: [
        { deny: ['github/*'], when: 'has(args.tags) && "keep" in args.tags' },
        {
          deny: ['payments/*'],
          when: 'has(args.currency) ? args.currency in ["USD", "GBP"] : principal.kind == "anonymous"',
        },
      ],
    },
    cedar: `${ALLOW_ALL} forbid(principal, action, resource in Target::"github")
      when { context.args has tags && context.args.tags.contains("keep") };
      forbid(principal, action, resource in Target::"payments")
      when { if context.args has currency then ["USD", "GBP"].contains(context.args.currency) else principal.kind == "anonymous" };`,
  },
  {
    name: 'callers',
    gantry: {
      default: 'deny',
      rules: [
        { who: { apiKeys: ['ci'] }, allow: ['github/*'], when: 'has(args.force) && args.force' },
        { who: { scopes: ['deploy'] }, allow: ['docs/*'] },
        { who: { principals: [{ issuer: ISSUER, subject: 'ann' }] }, allow: ['payments/*'] },
        { allow: ['*'], when: 'principal.subject == "bob" && principal.issuer != "" && target != "github"' },
      ],
    },
    cedar: `permit(principal == Caller::"ci", action, resource in Target::"github")
      when { context.args has force && context.args.force };
      permit(principal, action, resource in Target::"docs") when { principal.scopes.contains("deploy") };
      permit(principal == Caller::"ann", action, resource in Target::"payments");
      permit(principal == Caller::"bob", action, resource) unless { resource in Target::"github" };`,
  },
]

const TABLE = POLICIES.flatMap((policy) =>
  Object.keys(CALLERS).flatMap((who) => CALLS.map(([object, args]) => ({ policy, who, object, args }))),
)

/** What Cedar decides. */
function cedarDecides({ policy, who, object, args }: (typeof TABLE)[number]): boolean {
  const { auth } = CALLERS[who]!
  const uid = (type: string, id: string) => ({ type, id })
  const groups = (auth?.claims?.groups as string[] | undefined) ?? []
  const id = `${object.target}/${object.name}`
  const hints = (object.item?.annotations ?? {}) as { destructiveHint?: boolean }
  const answer = isAuthorized({
    principal: uid('Caller', who),
    action: uid('Action', 'call'),
    resource: uid('Object', id),
    context: { args: args as never },
    policies: { staticPolicies: policy.cedar },
    entities: [
      {
        uid: uid('Caller', who),
        attrs: {
          kind: auth?.principal.kind ?? 'anonymous',
          level: groups.length,
          scopes: [...(auth?.scopes ?? [])],
        },
        parents: groups.map((group) => uid('Group', group)),
      },
      {
        uid: uid('Object', id),
        attrs: {
          kind: object.kind === 'tools' ? 'tool' : 'resource',
          name: object.name,
          destructive: object.kind === 'tools' && hints.destructiveHint !== false,
        },
        parents: [uid('Target', object.target)],
      },
    ],
  })
  if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors))
  expect(answer.response.diagnostics.errors).toEqual([])
  return answer.response.decision === 'allow'
}

async function permissionsFor({ gantry }: Policy, caller: Caller): Promise<Permissions> {
  const servers = Object.fromEntries(['payments', 'github', 'docs'].map((name) => [name, { command: 'x' }]))
  const auth = {
    apiKeys: [{ name: 'ci', key: 'a-long-key-for-tests-0123456789', scopes: ['deploy'] }],
    bearer: { issuer: ISSUER, audience: 'https://gw.example.com/mcp' },
  }
  const loaded = await configFromValue({ mcpServers: servers, auth, policy: gantry } as never)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return new Permissions(loaded.model.policy, caller)
}

it(`decides like Cedar in ${TABLE.length} cases`, async () => {
  expect(TABLE.length).toBeGreaterThanOrEqual(200)
  const permissions = new Map<string, Permissions>()
  const differing: string[] = []
  let allowed = 0
  for (const row of TABLE) {
    const key = `${row.policy.name} ${row.who}`
    if (!permissions.has(key)) permissions.set(key, await permissionsFor(row.policy, CALLERS[row.who]!))
    const ours = permissions.get(key)!.verdict(row.object, { args: row.args, now: new Date() })
    const theirs = cedarDecides(row)
    if (theirs) allowed++
    if (ours.allowed !== theirs || ours.failure !== undefined) {
      differing.push(
        `${key} ${row.object.name} ${JSON.stringify(row.args)}: ${JSON.stringify(ours)}, Cedar ${theirs}`,
      )
    }
    // What can be called is listed.
    if (theirs) expect(permissions.get(key)!.maySee(row.object)).toBe(true)
  }
  expect(differing).toEqual([])
  // The table says something about both.
  expect(allowed).toBeGreaterThan(TABLE.length / 4)
  expect(allowed).toBeLessThan((TABLE.length * 3) / 4)
})

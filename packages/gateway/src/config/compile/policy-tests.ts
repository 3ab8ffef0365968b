import {
  endpointModel,
  parseObjectPattern,
  type GatewayModel,
  type PolicyTestSettings,
} from '../../model/index.ts'
import { concernOf } from '../../rules/concerns.ts'
import type { Caller, PolicyCall, PolicyObject } from '../../rules/facts.ts'
import { Permissions, type Verdict } from '../../rules/permissions.ts'
import { CALLER_FORMS, readCaller } from '../../rules/read-caller.ts'
import type { ConfigPath } from '../problem.ts'
import type { CompileContext } from './compile-context.ts'
import { warnUnknown } from './compile-patterns.ts'
import { Section } from './section.ts'

export interface PolicyTestResult {
  readonly name: string
  readonly passed: boolean
  readonly expected: PolicyTestSettings['expect']
  /** The rule that should decide; undefined: any. */
  readonly rule?: string
  readonly decided: PolicyTestSettings['expect']
  /** The rule or default that decided, for people. */
  readonly by: string
}

/** Runs the tests of a policy, with the rules that are only tried out as if they were enforced. */
export function runPolicyTests(
  tests: readonly PolicyTestSettings[],
  model: GatewayModel,
  context: CompileContext,
): PolicyTestResult[] {
  return tests.flatMap((test, index) => {
    const path: ConfigPath = ['policy', 'tests', index]
    const scene = sceneOf(test, model, path, context)
    if (!scene) return []
    const result = resultOf(test, index, decide(scene, model))
    if (!result.passed) {
      context.report({
        code: 'failed-test',
        path,
        message: `The test "${result.name}" fails: ${result.decided} was decided ${result.by}`,
        fix: `Expected is ${expectationOf(test.expect, test.rule)}. Correct the rules, or the test`,
      })
    }
    return [result]
  })
}

interface Decision extends Verdict {
  /** The view that does not have the object, or is not for the caller. */
  readonly view?: string | undefined
}

/** What an endpoint says, with what its view leaves out. */
function decide({ caller, object, call }: Scene, model: GatewayModel): Decision {
  const name = caller.view ?? ''
  const { policy } = endpointModel(model, name)
  const { within } = policy
  const view = model.views.find((one) => one.name === name)
  if (view && concernOf(view, caller.auth) !== 'fully') return { allowed: false, rule: undefined, view: name }
  const verdict = new Permissions({ ...(policy.trial ?? policy), within }, caller).verdict(object, call)
  return verdict.isOutside ? { ...verdict, view: name } : verdict
}

function resultOf(test: PolicyTestSettings, index: number, verdict: Decision): PolicyTestResult {
  const { rule, failure, view } = verdict
  const other = view === undefined ? 'by the default' : `by the view "${view}"`
  const decided = decisionOf(verdict)
  const because = failure === undefined ? '' : `, whose condition fails: ${failure}`
  return {
    name: test.name ?? `test ${index + 1}`,
    passed: decided === test.expect && (test.rule === undefined || test.rule === rule),
    expected: test.expect,
    ...(test.rule !== undefined && { rule: test.rule }),
    decided,
    by: rule === undefined ? other : `by the rule "${rule}"${because}`,
  }
}

/** A call that waits for both is one that another person approves. */
function decisionOf({ allowed, holds }: Verdict): PolicyTestSettings['expect'] {
  if (!allowed) return 'deny'
  if (!holds) return 'allow'
  return holds.some(({ approve }) => approve) ? 'approve' : 'confirm'
}

/** What a test wants, for people. */
function expectationOf(expected: string, rule: string | undefined): string {
  return rule === undefined ? expected : `${expected} by the rule "${rule}"`
}

interface Scene {
  readonly caller: Caller
  readonly object: PolicyObject
  readonly call: PolicyCall | undefined
}

function sceneOf(
  test: PolicyTestSettings,
  model: GatewayModel,
  path: ConfigPath,
  context: CompileContext,
): Scene | undefined {
  const { auth } = model
  warnMisspelt(new Section(test, path, context), model)
  const { as, issuer, scopes, groups, client, view, args = {}, annotations = {}, count } = test
  // Groups that a test names are those that the caller has, wherever they come from otherwise.
  const from = groups ? { ...auth, groups: undefined } : auth
  const claims = { ...test.claims, ...(groups && { groups }) }
  if (as?.startsWith('key:') && !auth.keys) {
    const known = auth.apiKeys.map(({ name }) => name)
    const place = new Section(as, [...path, 'as'], context)
    warnUnknown({ wanted: as.slice('key:'.length), known, what: 'API key' }, place)
  }
  const read = readCaller({ as, issuer, scopes, claims, clientId: client?.id }, from)
  const now = test.now === undefined ? new Date() : new Date(test.now)
  if (!read.ok) {
    context.report({
      code: 'invalid-value',
      path: [...path, 'as'],
      message: `"${as}" names no caller`,
      fix: `Write ${CALLER_FORMS}`,
    })
  }
  if (Number.isNaN(now.getTime())) {
    const fix = 'Write it like 2026-01-31T09:30:00Z'
    context.report({ code: 'invalid-value', path: [...path, 'now'], message: 'This is not a time', fix })
  }
  if (!read.ok || Number.isNaN(now.getTime())) return undefined
  const { name = '', version = '' } = client ?? {}
  const revision = test.era === 'legacy' ? '2025-11-25' : '2026-07-28'
  return {
    caller: { auth: read.subject, client: { info: { name, version }, version: revision }, view },
    object: { ...objectNamed(test.call ?? test.list!), item: { annotations } },
    call: test.call === undefined ? undefined : { args, now, count: () => count },
  }
}

/** A name that is not there makes a test say nothing: what does not exist is denied or allowed by chance. */
function warnMisspelt(test: Section<PolicyTestSettings>, { policy, targets, views }: GatewayModel): void {
  const { call, rule, view = '' } = test.value
  const known = targets.map(({ name }) => name)
  const key = call === undefined ? 'list' : 'call'
  warnUnknown({ wanted: objectNamed(test.value[key]!).target, known, what: 'target' }, test.at(key))
  if (view !== '') {
    const endpoints = [...views.map(({ name }) => name), ...known]
    warnUnknown({ wanted: view, known: endpoints, what: 'view or target' }, test.at('view'))
  }
  if (rule === undefined) return
  const rules = (policy.trial ?? policy).rules.map(({ name }) => name)
  warnUnknown({ wanted: rule, known: rules, what: 'rule' }, test.at('rule'))
}

/** Reads `[KIND:]TARGET/NAME`. */
function objectNamed(text: string): PolicyObject {
  const { kind, target, name } = parseObjectPattern(text)
  return { kind: kind ?? (name.includes('://') ? 'resources' : 'tools'), target, name }
}

import { parseObjectPattern, type GatewayModel, type PolicyTestSettings } from '../../model/index.ts'
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
    const { policy } = model
    const verdict = new Permissions(policy.trial ?? policy, scene.caller).verdict(scene.object, scene.call)
    const result = resultOf(test, index, verdict)
    if (!result.passed) {
      context.report({
        code: 'failed-test',
        path,
        message: `The test "${result.name}" fails: ${result.decided} was decided ${result.by}`,
        fix: `Expected is ${expectationOf(test)}. Correct the rules, or the test`,
      })
    }
    return [result]
  })
}

function resultOf(test: PolicyTestSettings, index: number, verdict: Verdict): PolicyTestResult {
  const { rule, failure } = verdict
  const decided = decisionOf(verdict)
  const because = failure === undefined ? '' : `, whose condition fails: ${failure}`
  return {
    name: test.name ?? `test ${index + 1}`,
    passed: decided === test.expect && (test.rule === undefined || test.rule === rule),
    expected: test.expect,
    decided,
    by: rule === undefined ? 'by the default' : `by the rule "${rule}"${because}`,
  }
}

/** A call that waits for both is one that another person approves. */
function decisionOf({ allowed, holds }: Verdict): PolicyTestSettings['expect'] {
  if (!allowed) return 'deny'
  if (!holds) return 'allow'
  return holds.some(({ approve }) => approve) ? 'approve' : 'confirm'
}

function expectationOf({ expect, rule }: PolicyTestSettings): string {
  return rule === undefined ? expect : `${expect} by the rule "${rule}"`
}

interface Scene {
  readonly caller: Caller
  readonly object: PolicyObject
  readonly call: PolicyCall | undefined
}

function sceneOf(
  test: PolicyTestSettings,
  { auth }: GatewayModel,
  path: ConfigPath,
  context: CompileContext,
): Scene | undefined {
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

/** Reads `[KIND:]TARGET/NAME`. */
function objectNamed(text: string): PolicyObject {
  const { kind, target, name } = parseObjectPattern(text)
  return { kind: kind ?? (name.includes('://') ? 'resources' : 'tools'), target, name }
}

import type { Condition, Expression, Filled } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { RawConfig, RawPolicy } from '../raw-config.ts'
import type { CompileContext } from './compile-context.ts'
import type { Conditions } from './compile-policy.ts'

/** Compiles the conditions of rules, once. Configurations without any do not load the library. */
export async function compileConditions(
  { rules = [] }: RawPolicy,
  context: CompileContext,
): Promise<Conditions> {
  const conditions = new Map<number, Condition>()
  if (rules.every(({ when }) => when === undefined)) return conditions
  const { BadExpression, compileCondition } = await import('../../rules/condition.ts')
  for (const [index, { when }] of rules.entries()) {
    if (when === undefined) continue
    const path: ConfigPath = ['policy', 'rules', index, 'when']
    try {
      conditions.set(index, await compileCondition(when, context.placeOf(path)))
    } catch (error) {
      if (!(error instanceof BadExpression)) throw error
      context.report({
        code: 'invalid-value',
        path,
        message: `The condition cannot be used: ${error.message}`,
        fix: 'docs/policy.md lists the variables and functions that conditions have',
      })
    }
  }
  return conditions
}

/** Expressions that give values, by their texts, compiled before: that takes a library, which is loaded for them. */
export type Expressions = ReadonlyMap<string, Expression>

/** Compiles the expressions of groups, views and limits. */
export async function compileExpressions(raw: RawConfig, context: CompileContext): Promise<Expressions> {
  const compiled = new Map<string, Expression>()
  for (const { path, source } of [
    ...groupExpressions(raw),
    ...limitExpressions(raw),
    ...viewExpressions(raw),
  ]) {
    if (compiled.has(source)) continue
    const { compileExpression } = await import('../../rules/expression.ts')
    const { BadExpression } = await import('../../rules/condition.ts')
    try {
      compiled.set(source, await compileExpression(source))
    } catch (error) {
      if (!(error instanceof BadExpression)) throw error
      context.report({
        code: 'invalid-value',
        path,
        message: `The expression cannot be used: ${error.message}`,
        fix: 'docs/policy.md lists the variables and functions that expressions have',
      })
    }
  }
  return compiled
}

interface PlacedExpression {
  readonly path: ConfigPath
  readonly source: string
}

function groupExpressions({ auth }: RawConfig): PlacedExpression[] {
  const source = expressionIn(auth?.groups)
  return source === undefined ? [] : [{ path: ['auth', 'groups', 'expression'], source }]
}

function limitExpressions({ limits }: RawConfig): PlacedExpression[] {
  return (limits?.rates ?? []).flatMap(({ by, cost }, index) =>
    Object.entries({ by, cost: expressionIn(cost) }).flatMap(([key, source]) =>
      source === undefined ? [] : [{ path: ['limits', 'rates', index, key], source }],
    ),
  )
}

function viewExpressions({ views = {} }: RawConfig): PlacedExpression[] {
  return Object.entries(views).flatMap(([view, { tools = {}, prompts = {} }]) =>
    Object.entries({ tools, prompts }).flatMap(([kind, entries]) =>
      Object.entries(entries).flatMap(([entry, { parameters = {} }]) =>
        Object.entries(parameters).flatMap(([parameter, { fixed, default: given }]) =>
          Object.entries({ fixed, default: given }).flatMap(([key, filled]) => {
            const source = expressionIn(filled)
            const path = ['views', view, kind, entry, 'parameters', parameter, key]
            return source === undefined ? [] : [{ path, source }]
          }),
        ),
      ),
    ),
  )
}

/** `{ "expression": "claims.team" }` is worked out for each call; everything else is a value. */
export function toFilled(raw: unknown, expressions: Expressions): Filled | undefined {
  if (raw === undefined) return undefined
  const source = expressionIn(raw)
  if (source === undefined) return { value: raw }
  // An expression that did not compile has been reported, and its configuration is not taken.
  const expression = expressions.get(source)
  return expression ? { expression } : { value: null }
}

/** The text of `{ "expression": … }`. */
function expressionIn(raw: unknown): string | undefined {
  const { expression } = Object(raw) as { expression?: unknown }
  return typeof expression === 'string' ? expression : undefined
}

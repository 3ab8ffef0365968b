import type { Condition, Expression, Filled, Settings } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import type { CompileContext } from './compile-context.ts'
import type { Conditions } from './compile-policy.ts'
import { placedRates } from './placed-rates.ts'
import { Section } from './section.ts'

/** Compiles the conditions of rules, once. Configurations without any do not load the library. */
export async function compileConditions(
  { policy: { rules } }: Settings,
  context: CompileContext,
): Promise<Conditions> {
  const conditions = new Map<number, Condition>()
  for (const [index, { when }] of rules.entries()) {
    if (when === undefined) continue
    const path: ConfigPath = ['policy', 'rules', index, 'when']
    const { compileCondition } = await import('../../rules/condition.ts')
    const condition = await compiled(
      () => compileCondition(when, context.placeOf(path)),
      'condition',
      path,
      context,
    )
    if (condition) conditions.set(index, condition)
  }
  return conditions
}

/** Expressions that give values, by their texts, compiled before: that takes a library, which is loaded for them. */
export type Expressions = ReadonlyMap<string, Expression>

/** Compiles the expressions of groups, views and limits. */
export async function compileExpressions(settings: Settings, context: CompileContext): Promise<Expressions> {
  const expressions = new Map<string, Expression>()
  for (const { path, source } of [
    ...groupExpressions(settings),
    ...limitExpressions(new Section(settings, [], context)),
    ...viewExpressions(settings),
  ]) {
    if (expressions.has(source)) continue
    const { compileExpression } = await import('../../rules/expression.ts')
    const expression = await compiled(() => compileExpression(source), 'expression', path, context)
    if (expression) expressions.set(source, expression)
  }
  return expressions
}

/** Reports a text in CEL that cannot be compiled. */
async function compiled<T>(
  compile: () => Promise<T>,
  what: 'condition' | 'expression',
  path: ConfigPath,
  context: CompileContext,
): Promise<T | undefined> {
  const { BadExpression } = await import('../../rules/condition.ts')
  try {
    return await compile()
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error
    const message = `The ${what} cannot be used: ${error.message}`
    const fix = `docs/policy.md lists the variables and functions that ${what}s have`
    context.report({ code: 'invalid-value', path, message, fix })
    return undefined
  }
}

interface PlacedExpression {
  readonly path: ConfigPath
  readonly source: string
}

function groupExpressions({ auth }: Settings): PlacedExpression[] {
  const source = expressionIn(auth.groups)
  return source === undefined ? [] : [{ path: ['auth', 'groups', 'expression'], source }]
}

function limitExpressions(root: Section<Settings>): PlacedExpression[] {
  return placedRates(root).flatMap(({ section: { value, path } }) =>
    Object.entries({ by: value.by, cost: expressionIn(value.cost) }).flatMap(([key, source]) =>
      source === undefined ? [] : [{ path: [...path, key], source }],
    ),
  )
}

function viewExpressions({ views }: Settings): PlacedExpression[] {
  return Object.entries(views).flatMap(([view, { tools, prompts }]) =>
    Object.entries({ tools, prompts }).flatMap(([kind, entries]) =>
      Object.entries(entries).flatMap(([entry, { parameters }]) =>
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

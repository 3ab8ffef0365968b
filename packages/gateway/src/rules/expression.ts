import type { Expression } from '../model/index.ts'
import { baseEnvironment, BadExpression, prepare, summaryOf, testsIn } from './condition.ts'
import { meterCost } from './cost.ts'
import { beginEvaluation, type Node } from './environment.ts'
import type { Facts } from './facts.ts'
import { beginWork, isOverspent, TOO_MUCH } from './work.ts'

/** Compiles an expression that gives a value; throws `BadExpression` when it cannot be used. */
export async function compileExpression(source: string): Promise<Expression> {
  const environment = baseEnvironment().clone().registerVariable('args', 'map<string, dyn>')
  let run: ReturnType<typeof environment.parse>
  try {
    run = environment.parse(source)
  } catch (error) {
    throw new BadExpression(summaryOf(error))
  }
  const root = run.ast as unknown as Node
  prepare(root)
  const patterns = await testsIn(root)
  const { valid, error } = run.check()
  if (!valid) throw new BadExpression(summaryOf(error))
  meterCost(root)
  return new CelExpression(source, (facts) => {
    beginEvaluation(facts, patterns)
    return run(facts)
  })
}

/** Two expressions are equal when their texts are equal: what a text was compiled to is private. */
class CelExpression implements Expression {
  readonly source: string
  readonly #run: (facts: Facts) => unknown

  constructor(source: string, run: (facts: Facts) => unknown) {
    this.source = source
    this.#run = run
  }

  evaluate(facts: Facts): unknown {
    beginWork()
    const value = this.#run(facts)
    if (isOverspent()) throw TOO_MUCH
    return fromCel(value)
  }
}

/** A value of an expression as JSON. */
function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(fromCel)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([name, one]) => [String(name), fromCel(one)]))
  return value
}

import { Optional } from '@marcbachmann/cel-js'
import { JsonNumber } from '@gantry/mcp/exchange'
import type { Expression } from '../model/index.ts'
import {
  argumentUse,
  BadExpression,
  parseExpression,
  sourcesIn,
  testsIn,
  untypedEnvironment,
  windowsIn,
} from './condition.ts'
import { meterCost } from './cost.ts'
import { beginEvaluation, type Node } from './environment.ts'
import { AnnotationsValue, ClientValue, PrincipalValue, type Facts } from './facts.ts'
import { beginWork, endWork, isOverspent, tooMuch } from './work.ts'

/** Compiles an expression that gives a value; throws `BadExpression` when it cannot be used. */
export async function compileExpression(source: string): Promise<Expression> {
  const { parsed, type } = parseExpression(source, untypedEnvironment())
  const root = parsed.ast as unknown as Node
  if (windowsIn(root).length > 0) throw new BadExpression('count() is for conditions of rules only')
  const patterns = await testsIn(root)
  meterCost(root)
  const run = (facts: Facts): unknown => {
    beginEvaluation(facts, patterns)
    return parsed(facts)
  }
  return new CelExpression({ source, type, args: argumentUse(root), reads: sourcesIn(root), run })
}

interface CompiledParts extends Pick<Expression, 'source' | 'type' | 'args' | 'reads'> {
  readonly run: (facts: Facts) => unknown
}

/** Two expressions are equal when their texts are equal: what a text was compiled to is private. */
class CelExpression implements Expression {
  readonly source: string
  readonly type: string
  readonly args: Expression['args']
  readonly reads: Expression['reads']
  readonly #run: (facts: Facts) => unknown

  constructor({ source, type, args, reads, run }: CompiledParts) {
    this.source = source
    this.type = type
    this.args = args
    this.reads = reads
    this.#run = run
  }

  evaluate(facts: Facts): unknown {
    if (!beginWork(facts.work)) throw tooMuch()
    let value: unknown
    try {
      value = this.#run(facts)
    } finally {
      endWork()
    }
    if (isOverspent()) throw tooMuch()
    return fromCel(value)
  }
}

/** A value of an expression as JSON. Throws where it is none. */
function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return fromInteger(value)
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error('its value is no finite number')
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Optional) return fromCel(value.value())
  if (Array.isArray(value)) return value.map(fromCel)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Map) return fromMembers([...value])
  if (isPlain(value)) return fromMembers(Object.entries(value))
  const unsigned = value.valueOf()
  if (typeof unsigned === 'bigint') return fromInteger(unsigned)
  throw new Error('its value is nothing that JSON has')
}

/** What an expression makes with braces, and the variables that have members. */
function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype || FACTS.some((one) => value instanceof one)
}

const FACTS = [PrincipalValue, ClientValue, AnnotationsValue]

function fromInteger(value: bigint): unknown {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : new JsonNumber(String(value))
}

function fromMembers(members: readonly (readonly [unknown, unknown])[]): unknown {
  return Object.fromEntries(members.map(([name, one]) => [String(name), fromCel(one)]))
}

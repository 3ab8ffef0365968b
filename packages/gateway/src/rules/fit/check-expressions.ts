import type { Expression } from '../../model/index.ts'
import type { PolicyObject } from '../facts.ts'
import { partFor } from './known-parts.ts'
import { unknownGuard, valueMisfit } from './schema-misfit.ts'

/** Schemas' names for what CEL calls a kind of value. An instant is written as text. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  string: ['string'],
  'google.protobuf.Timestamp': ['string'],
  bool: ['boolean'],
  int: ['integer', 'number'],
  double: ['number', 'integer'],
  list: ['array'],
  map: ['object'],
  null_type: ['null'],
}

/**
 * The parts of an expression that do not fit the objects it is evaluated for; undefined when all parts fit. `wanted` is
 * the schema that its value has to meet.
 */
export async function expressionProblem(
  expression: Expression,
  objects: readonly PolicyObject[],
  wanted?: unknown,
): Promise<string | undefined> {
  const asking: PolicyObject[] = []
  for (const object of objects) {
    const source = await partFor(expression.source, object)
    const found = valueMisfit({ source, args: expression.args }, object)
    if ('problem' in found) return found.problem
    const kind = otherKind(found.type, wanted)
    if (kind !== undefined) return `For ${object.name}: ${expression.source} gives ${kind}`
    asking.push(object)
  }
  return unknownGuard(expression, asking)
}

/** The kind of a value, if the schema does not take values of this kind. */
function otherKind(type: string, wanted: unknown): string | undefined {
  const { type: named } = Object(wanted) as { type?: unknown }
  const kinds = Object.hasOwn(KINDS, baseOf(type)) ? KINDS[baseOf(type)]! : undefined
  const taken = (Array.isArray(named) ? named : [named]).filter((one) => typeof one === 'string')
  if (!kinds || taken.length === 0 || kinds.some((one) => taken.includes(one))) return undefined
  return `${nameOf(kinds[0]!)}, not ${taken.map(nameOf).join(' or ')}`
}

function baseOf(type: string): string {
  return type.replace(/<.*$/s, '')
}

function nameOf(kind: string): string {
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

import { serialize, type ASTNode } from '@marcbachmann/cel-js'
import type { JsonObject } from '@gantry/mcp/exchange'
import { suggest, type ArgumentUse } from '../../model/index.ts'
import { typedArguments, type TypedArguments } from './argument-types.ts'
import { BadExpression, parseChecked, parseExpression } from '../condition.ts'
import type { PolicyObject } from '../facts.ts'

/** An expression about the arguments of calls. */
export interface AboutArguments {
  readonly source: string
  readonly args: ArgumentUse
}

/** What of a condition does not fit the arguments of an object; undefined when all does. */
export function conditionMisfit(condition: AboutArguments, object: PolicyObject): string | undefined {
  const found = checked(condition, object, parseChecked)
  return typeof found === 'string' ? found : undefined
}

/** The same of an expression for a value; otherwise the kind of value that it gives. */
export function valueMisfit(
  expression: AboutArguments,
  object: PolicyObject,
): { readonly problem: string } | { readonly type: string } {
  const found = checked(expression, object, parseExpression)
  return typeof found === 'string' ? { problem: found } : found
}

function checked<T extends object>(
  { source, args }: AboutArguments,
  object: PolicyObject,
  parse: (source: string, environment: TypedArguments['environment']) => T,
): T | string {
  const typed = typedArguments(schemaOf(object), args.guarded)
  try {
    return parse(source, typed.environment)
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error
    return unknownField(error, object, typed) ?? `For ${object.name}: ${error.message}`
  }
}

interface CheckError {
  readonly code?: string
  readonly node?: ASTNode & { readonly left?: { readonly checkedType?: { readonly name: string } } }
}

function unknownField(
  { cause }: BadExpression,
  object: PolicyObject,
  { fields }: TypedArguments,
): string | undefined {
  const { code, node } = (cause ?? {}) as CheckError
  if (code !== 'no_such_key' || !node) return undefined
  const known = fields.get(node.left?.checkedType?.name ?? '')
  const name = fieldOf(node)
  return known && name !== undefined
    ? notAField(serialize(node), object.name, suggest(name, known))
    : undefined
}

function fieldOf({ args }: ASTNode): string | undefined {
  const [, right] = args as [unknown, string | ASTNode]
  const name = typeof right === 'string' ? right : right.args
  return typeof name === 'string' ? name : undefined
}

/** A field that is asked for with `has()` may be missing in some objects, but not in all. */
export function unknownGuard({ args }: AboutArguments, objects: readonly PolicyObject[]): string | undefined {
  const known = objects.map((object) => typedArguments(schemaOf(object), []).fields.get('Args0'))
  if (known.length === 0 || known.some((fields) => fields === undefined)) return undefined
  const all = known.flatMap((fields) => fields!)
  const name = args.guarded.find((one) => !all.includes(one))
  if (name === undefined) return undefined
  const names = objects.length === 1 ? objects[0]!.name : `any of the ${objects.length} that it is about`
  return notAField(`args.${name}`, names, suggest(name, all))
}

function notAField(path: string, owner: string, close: string | undefined): string {
  return `${path} is not a field of ${owner}${close === undefined ? '' : `; did you mean ${close}?`}`
}

/** The arguments of prompts are texts, and resources have none. */
function schemaOf({ kind, item }: PolicyObject): unknown {
  if (kind === 'tools') return item?.inputSchema
  if (kind === 'resources') return { properties: {} }
  const given = Array.isArray(item?.arguments) ? (item.arguments as JsonObject[]) : []
  return { properties: Object.fromEntries(given.map(({ name }) => [String(name), { type: 'string' }])) }
}

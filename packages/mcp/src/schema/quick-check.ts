import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import type { Check } from './json-validator.ts'
import type { ValidationSchema } from './validation-schema.ts'

/** Makes the check of one keyword, for values of every type; undefined when only a validator can check it. */
type Maker = (operand: unknown, schema: JsonObject) => Check | undefined

const always: Check = () => true
const never: Check = () => false

/** A check whose yes is sure; its no needs a validator, whose loading costs more than most programs. */
export function createQuickCheck({ schema }: ValidationSchema): Check | undefined {
  return fromSchema(schema)
}

function fromSchema(schema: unknown): Check | undefined {
  if (!isJsonObject(schema)) return schema === true ? always : never
  const checks: Check[] = []
  for (const [keyword, operand] of Object.entries(schema)) {
    const check = MAKERS.get(keyword)?.(operand, schema)
    if (check === undefined) return undefined
    checks.push(check)
  }
  return all(checks)
}

function all(checks: readonly Check[]): Check {
  const [first, second] = checks
  if (first === undefined) return always
  if (second === undefined) return first
  return (value) => {
    for (const check of checks) if (!check(value)) return false
    return true
  }
}

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['type', (types) => fromType(types as string | string[])],
  ['enum', (options) => isScalarOf(options as unknown[])],
  ['const', (option) => isScalarOf([option])],
  ['minimum', ofNumber((value, least) => value >= least)],
  ['maximum', ofNumber((value, most) => value <= most)],
  ['exclusiveMinimum', ofNumber((value, bound) => value > bound)],
  ['exclusiveMaximum', ofNumber((value, bound) => value < bound)],
  ['minLength', ofText((value, least) => codePoints(value) >= least)],
  ['maxLength', ofText((value, most) => codePoints(value) <= most)],
  ['minItems', ofList((value, least) => value.length >= least)],
  ['maxItems', ofList((value, most) => value.length <= most)],
  ['minProperties', ofObject((value, least) => Object.keys(value).length >= least)],
  ['maxProperties', ofObject((value, most) => Object.keys(value).length <= most)],
  ['required', ofObject((value, names: string[]) => names.every((name) => has(value, name)))],
  ['properties', (members) => fromProperties(members as JsonObject)],
  ['additionalProperties', fromOthers],
  ['items', (member) => fromItems(fromSchema(member))],
  ['allOf', (members) => fromMembers(members, all)],
  ['anyOf', (members) => fromMembers(members, any)],
])

const TYPES: Record<string, Check> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  // Not `typeof`: a result may hold NaN, which JSON has not.
  number: Number.isFinite,
  integer: Number.isInteger,
  null: (value) => value === null,
  array: Array.isArray,
  object: isJsonObject,
}

function fromType(types: string | string[]): Check {
  return any([types].flat().map((type) => TYPES[type] ?? never))
}

function any(checks: readonly Check[]): Check {
  const [first, second] = checks
  if (first !== undefined && second === undefined) return first
  return (value) => checks.some((check) => check(value))
}

/** Objects and lists among the options are left to the validator, which compares them member by member. */
function isScalarOf(options: readonly unknown[]): Check {
  const scalars = new Set(options.filter((option) => typeof option !== 'object' || option === null))
  return (value) => scalars.has(value)
}

function ofNumber(holds: (value: number, operand: number) => boolean): Maker {
  return (operand) => (value) => typeof value !== 'number' || holds(value, operand as number)
}

function ofText(holds: (value: string, operand: number) => boolean): Maker {
  return (operand) => (value) => typeof value !== 'string' || holds(value, operand as number)
}

function ofList(holds: (value: unknown[], operand: number) => boolean): Maker {
  return (operand) => (value) => !Array.isArray(value) || holds(value, operand as number)
}

function ofObject<Operand = number>(holds: (value: JsonObject, operand: Operand) => boolean): Maker {
  return (operand) => (value) => !isJsonObject(value) || holds(value, operand as Operand)
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** A member that is undefined will not be there in JSON. */
function has(value: JsonObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined
}

function fromProperties(members: JsonObject): Check | undefined {
  const checks: [name: string, check: Check][] = []
  for (const [name, member] of Object.entries(members)) {
    const check = fromSchema(member)
    if (check === undefined) return undefined
    checks.push([name, check])
  }
  return (value) => {
    if (!isJsonObject(value)) return true
    for (const [name, check] of checks) if (Object.hasOwn(value, name) && !check(value[name])) return false
    return true
  }
}

/** `additionalProperties`: what beside it in `properties` names is not its concern. */
function fromOthers(member: unknown, { properties = {} }: JsonObject): Check | undefined {
  const check = fromSchema(member)
  if (check === undefined) return undefined
  return (value) =>
    !isJsonObject(value) ||
    Object.keys(value).every((name) => Object.hasOwn(properties as object, name) || check(value[name]))
}

function fromItems(check: Check | undefined): Check | undefined {
  // Unlike `every`, it stops at holes as well, which JSON writes as null.
  return check && ((value) => !Array.isArray(value) || value.findIndex((item) => !check(item)) === -1)
}

function fromMembers(members: unknown, join: (checks: Check[]) => Check): Check | undefined {
  const checks = (members as unknown[]).map(fromSchema)
  return checks.includes(undefined) ? undefined : join(checks as Check[])
}

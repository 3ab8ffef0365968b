import { isJsonObject } from '@gantry/mcp/exchange'
import { decodePercent } from '../../model/index.ts'
import { comment, literal, memberName } from './safe-text.ts'
import type { TypeNames } from './type-names.ts'

type Schema = Readonly<Record<string, unknown>>

/** Deeper schemas become `unknown`. */
const DEEPEST = 40
const ANYTHING = 'unknown'
const OPEN_OBJECT = '{ [key: string]: unknown }'

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

/**
 * Writes a JSON Schema of a server as a type. Leaves out rules that a type cannot express (patterns, ranges, `not`,
 * `if`), and writes `unknown` for a schema that it cannot read. The text always compiles. Referenced types get names.
 */
export class SchemaType {
  readonly #root: unknown
  readonly #prefix: string
  readonly #names: TypeNames
  readonly #named = new Map<unknown, string>()

  constructor(root: unknown, prefix: string, names: TypeNames) {
    this.#root = root
    this.#prefix = prefix
    this.#names = names
  }

  /** The type of the arguments or the result of a tool. */
  text(): string {
    const type = this.#type(this.#root, 0, new Set([this.#root]))
    return type === ANYTHING ? OPEN_OBJECT : bare(type)
  }

  /**
   * `within` are the schemas that apply to the same value as this schema (not to a member of it): a circle among them
   * has no type.
   */
  #type(schema: unknown, depth: number, within: ReadonlySet<unknown>): string {
    if (schema === false) return 'never'
    if (!isJsonObject(schema) || depth > DEEPEST || !this.#names.takePart()) return ANYTHING
    const target = this.#resolve(schema.$ref)
    return intersection([
      this.#ownType(schema, depth),
      ...listOf(schema.allOf).map((part) => this.#type(part, depth + 1, within)),
      this.#anyOf(listOf(schema.anyOf), depth, within),
      this.#anyOf(listOf(schema.oneOf), depth, within),
      target === undefined || within.has(target)
        ? ANYTHING
        : this.#type(target, depth + 1, new Set([...within, target])),
    ])
  }

  #anyOf(options: readonly unknown[], depth: number, within: ReadonlySet<unknown>): string {
    if (options.length === 0) return ANYTHING
    return union(options.map((option) => this.#type(option, depth + 1, within)))
  }

  /** The type of a member or an element, where a type may refer to itself by its name. */
  #inner(schema: unknown, depth: number): string {
    const target = isJsonObject(schema) ? this.#resolve(schema.$ref) : undefined
    if (target === undefined) return this.#type(schema, depth + 1, new Set([schema]))
    const { $ref, ...rest } = schema as Schema
    return intersection([
      this.#named.get(target) ?? this.#declare(target, String($ref)),
      this.#type(rest, depth + 1, new Set([schema])),
    ])
  }

  #declare(schema: unknown, ref: string): string {
    const name = this.#names.take(`${this.#prefix} ${ref.split('/').at(-1) ?? ''}`)
    this.#named.set(schema, name)
    const type = bare(this.#type(schema, 0, new Set([schema])))
    const description = isJsonObject(schema) ? comment(schema.description) : ''
    this.#names.declarations.push(`${description}type ${name} = ${type}\n`)
    return name
  }

  /** Within the schema alone: nothing is fetched for a type. */
  #resolve(ref: unknown): unknown {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
    let found: unknown = this.#root
    for (const part of ref.split('/').slice(1)) {
      const key = decodePercent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
      found = (found as Schema)[key]
    }
    return ref === '#' || ref.startsWith('#/') ? found : undefined
  }

  #ownType(schema: Schema, depth: number): string {
    if (Object.hasOwn(schema, 'const')) return this.#value(schema.const, depth)
    if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => this.#value(value, depth)))
    const types = typeof schema.type === 'string' ? [schema.type] : listOf(schema.type)
    if (types.length > 0) {
      const nullable = schema.nullable === true ? ['null'] : []
      return union([...types.map((type) => this.#typeCalled(type, schema, depth)), ...nullable])
    }
    if (isJsonObject(schema.properties) || isJsonObject(schema.additionalProperties))
      return this.#object(schema, depth)
    return schema.items === undefined && schema.prefixItems === undefined
      ? ANYTHING
      : this.#array(schema, depth)
  }

  #typeCalled(type: unknown, schema: Schema, depth: number): string {
    if (type === 'object') return this.#object(schema, depth)
    if (type === 'array') return this.#array(schema, depth)
    return typeof type === 'string' && Object.hasOwn(PLAIN, type) ? PLAIN[type]! : ANYTHING
  }

  #object({ properties, required, additionalProperties: more }: Schema, depth: number): string {
    const known = isJsonObject(properties) ? Object.entries(properties) : []
    const needed = new Set(listOf(required).filter((name) => typeof name === 'string'))
    const members = known.map(([name, schema]) => {
      const text = isJsonObject(schema) ? comment(schema.description) : ''
      return `${text}${memberName(name)}${needed.delete(name) ? '' : '?'}: ${bare(this.#inner(schema, depth))}`
    })
    for (const name of needed) members.push(`${memberName(name)}: unknown`)
    if (members.length === 0)
      return more === undefined || more === true
        ? OPEN_OBJECT
        : `{ [key: string]: ${bare(this.#inner(more, depth))} }`
    // Members must fit an index signature, so that it cannot say more.
    if (more === true || isJsonObject(more)) members.push('[key: string]: unknown')
    return block(members)
  }

  #array({ items, prefixItems, minItems }: Schema, depth: number): string {
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? undefined : items
    const element = rest === undefined ? ANYTHING : this.#inner(rest, depth)
    if (first.length === 0) return rest === false ? '[]' : `${element}[]`
    const least = typeof minItems === 'number' ? minItems : 0
    const types = first.map((item, at) => `${this.#inner(item, depth)}${at < least ? '' : '?'}`)
    return `[${types.join(', ')}${rest === false ? '' : `, ...${element}[]`}]`
  }

  /** The type that has one value. */
  #value(value: unknown, depth: number): string {
    if (typeof value === 'string') return literal(value)
    if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'number'
    if (typeof value === 'boolean' || value === null) return String(value)
    if (typeof value !== 'object' || depth > DEEPEST || !this.#names.takePart()) return ANYTHING
    if (Array.isArray(value)) return `[${value.map((item) => this.#value(item, depth + 1)).join(', ')}]`
    const members = Object.entries(value)
    if (members.length === 0) return '{}'
    return block(
      members.map(([name, member]) => `${memberName(name)}: ${bare(this.#value(member, depth + 1))}`),
    )
  }
}

/** The members of an object type, each on its line. */
export function block(members: readonly string[]): string {
  if (members.length === 0) return '{}'
  return `{\n${members.map((member) => `  ${member.trimEnd().replaceAll('\n', '\n  ')}\n`).join('')}}`
}

/** Several types are put in parentheses, so that they can be an element of a list or a part of another type. */
function union(types: readonly string[]): string {
  const parts = [...new Set(types)].filter((type) => type !== 'never')
  if (parts.includes(ANYTHING)) return ANYTHING
  return parts.length > 1 ? `(${parts.join(' | ')})` : (parts[0] ?? 'never')
}

function intersection(types: readonly string[]): string {
  const parts = [...new Set(types)].filter((type) => type !== ANYTHING)
  return parts.length > 1 ? `(${parts.join(' & ')})` : (parts[0] ?? ANYTHING)
}

/** Without the parentheses around it. */
function bare(type: string): string {
  return type.startsWith('(') && type.endsWith(')') ? type.slice(1, -1) : type
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

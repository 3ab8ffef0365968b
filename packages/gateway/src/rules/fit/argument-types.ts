import type { Environment } from '@marcbachmann/cel-js'
import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { closedProperties, referredSchema } from '../../model/index.ts'
import { baseEnvironment } from '../condition.ts'

/** Schemas can be endless; what is deeper or beyond is of any type. */
const DEEPEST = 6
const MOST_TYPES = 200

/** An environment in which `args` has the type that a schema gives it, and the names of each type's fields. */
export interface TypedArguments {
  readonly environment: Environment
  readonly fields: ReadonlyMap<string, readonly string[]>
}

/** `guarded`: fields that the expression asks for with `has()`. It is no mistake when a tool does not have them. */
export function typedArguments(schema: unknown, guarded: readonly string[]): TypedArguments {
  const environment = baseEnvironment().clone()
  environment.registerOperator('double == int: bool', (a: number, b: bigint) => a === Number(b))
  const types = new SchemaTypes(environment, isJsonObject(schema) ? schema : {})
  environment.registerVariable('args', types.ofArguments(guarded))
  return { environment, fields: types.fields }
}

class SchemaTypes {
  readonly fields = new Map<string, readonly string[]>()
  readonly #environment: Environment
  readonly #root: JsonObject

  constructor(environment: Environment, root: JsonObject) {
    this.#environment = environment
    this.#root = root
  }

  ofArguments(guarded: readonly string[]): string {
    const properties = closedProperties(this.#root)
    if (!properties) return ANY_MAP
    const missing = guarded.filter((name) => !Object.hasOwn(properties, name))
    return this.#record({ ...properties, ...Object.fromEntries(missing.map((name) => [name, true])) }, 0)
  }

  #of(given: unknown, depth: number): string {
    const schema = this.#resolved(given)
    if (!schema || depth > DEEPEST || COMBINED.some((keyword) => keyword in schema)) return 'dyn'
    switch (schema.type) {
      case 'string':
      case 'boolean':
        return schema.type === 'string' ? 'string' : 'bool'
      case 'integer':
        return 'int'
      // 2 and 2.5 are both numbers: an expression gets an `int` or a `double`.
      case 'number':
        return 'dyn<double>'
      case 'array':
        return `list<${this.#of(schema.items, depth + 1)}>`
      case 'object': {
        const properties = closedProperties(schema)
        return properties ? this.#record(properties, depth + 1) : ANY_MAP
      }
      default:
        return 'dyn'
    }
  }

  #record(properties: JsonObject, depth: number): string {
    if (this.fields.size >= MOST_TYPES) return 'dyn'
    const name = `Args${this.fields.size}`
    this.fields.set(name, Object.keys(properties))
    const fields = Object.entries(properties).map(([field, schema]) => [field, this.#of(schema, depth)])
    this.#environment.registerType(name, { fields: Object.fromEntries(fields) })
    return name
  }

  /** Follows one reference into the document itself. */
  #resolved(schema: unknown): JsonObject | undefined {
    if (!isJsonObject(schema)) return undefined
    if (typeof schema.$ref !== 'string') return schema
    const found = referredSchema(schema.$ref, this.#root)
    return isJsonObject(found) && !('$ref' in found) ? found : undefined
  }
}

const ANY_MAP = 'map<string, dyn>'
const COMBINED = ['anyOf', 'oneOf', 'allOf', 'if', 'not']

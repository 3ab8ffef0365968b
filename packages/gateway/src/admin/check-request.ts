import { readFileSync } from 'node:fs'
import { Validator, type Schema } from '@cfworker/json-schema'
import { ApiError } from './api-error.ts'
import type { RouteName } from './contract.ts'

const SCHEMA = new URL('../../schema/admin.schema.json', import.meta.url)

interface RouteSchema {
  readonly properties: Readonly<Record<'params' | 'query' | 'body' | 'reply', Schema | undefined>>
}

export interface AdminSchema {
  readonly definitions: Readonly<Record<string, Schema>> & {
    readonly Routes: { readonly properties: Readonly<Record<RouteName, RouteSchema>> }
  }
}

let schema: AdminSchema | undefined

/** The contract's types as JSON Schema; read when the first request comes. */
export function adminSchema(): AdminSchema {
  schema ??= JSON.parse(readFileSync(SCHEMA, 'utf8')) as AdminSchema
  return schema
}

export function schemaOf(name: RouteName, part: 'params' | 'query' | 'body' | 'reply'): Schema | undefined {
  return adminSchema().definitions.Routes.properties[name].properties[part]
}

const validators = new Map<string, Validator>()

export function checkPart(name: RouteName, part: 'params' | 'query' | 'body', value: unknown): void {
  const key = `${name} ${part}`
  let validator = validators.get(key)
  if (!validator) {
    const wanted = schemaOf(name, part)
    if (!wanted) return
    validator = new Validator({ ...wanted, definitions: adminSchema().definitions }, '7', true)
    validators.set(key, validator)
  }
  const { valid, errors } = validator.validate(value)
  if (valid) return
  // The deepest complaint is the most exact one.
  const { instanceLocation, error } = errors.toSorted(
    (a, b) => b.instanceLocation.length - a.instanceLocation.length,
  )[0]!
  const where = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
  throw new ApiError(
    'bad_request',
    `The ${part} is not right${where === '' ? '' : ` at "${where}"`}: ${error}`,
    { fix: 'The OpenAPI document of the admin API describes every request.' },
  )
}

/** Query and path are text: numbers and booleans are read as the contract has them. */
export function readTexts(
  name: RouteName,
  part: 'params' | 'query',
  texts: Readonly<Record<string, string>>,
): Record<string, string | number | boolean> {
  const properties = (schemaOf(name, part)?.properties ?? {}) as Record<string, { type?: string }>
  const entries = Object.entries(texts).map(([key, text]) => {
    const type = Object.hasOwn(properties, key) ? properties[key]!.type : undefined
    if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return [key, Number(text)]
    if (type === 'boolean' && /^(true|false)$/.test(text)) return [key, text === 'true']
    return [key, text]
  })
  return Object.fromEntries(entries)
}

import { readByteSize, readDuration, readSpan, type RawConfig, type Settings } from '../../model/index.ts'
import { type JsonSchema, readSchema } from './schema.ts'

const QUANTITIES: Readonly<Record<string, (value: number | string) => number | undefined>> = {
  '#/$defs/duration': readDuration,
  '#/$defs/durationOrOff': readDuration,
  '#/$defs/span': readSpan,
  '#/$defs/bytes': readByteSize,
}

/** The configuration with every default of the schema in it, and quantities as numbers. It has to fit the schema. */
export function fillIn(raw: RawConfig): Settings {
  const { mcpServers, servers } = raw
  const merged = {
    ...raw,
    ...(mcpServers && { mcpServers: withDefaults(mcpServers, raw) }),
    ...(servers && { servers: withDefaults(servers, raw) }),
  }
  return filled(merged, readSchema()) as Settings
}

function withDefaults(
  targets: NonNullable<RawConfig['servers']>,
  { defaults = {} }: RawConfig,
): NonNullable<RawConfig['servers']> {
  const entries = Object.entries(targets).map(([name, target]) => {
    // A target may say one key of these, and `defaults` another.
    const timeouts = { ...defaults.timeouts, ...target.timeouts }
    const restart = { ...defaults.restart, ...target.restart }
    const health = { ...defaults.health, ...target.health }
    return [name, { ...defaults, ...target, timeouts, restart, health }] as const
  })
  return Object.fromEntries(entries)
}

function filled(value: unknown, schema: JsonSchema): unknown {
  const readQuantity = QUANTITIES[String(schema.$ref)]
  if (readQuantity) return value === false ? false : readQuantity(value as number | string)
  const { anyOf, items, properties, additionalProperties } = resolved(schema)
  if (properties === undefined && anyOf) {
    const branch = (anyOf as JsonSchema[]).find((one) => isMeant(resolved(one), value))
    return branch ? filled(value, branch) : value
  }
  if (Array.isArray(value)) return items ? value.map((item) => filled(item, items as JsonSchema)) : value
  if (typeof value !== 'object' || value === null) return value
  const known = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  const missing = known.flatMap(([key, part]) => {
    const fallback = resolved(part).default
    return Object.hasOwn(value, key) || fallback === undefined
      ? []
      : [[key, structuredClone(fallback)] as const]
  })
  const schemas = new Map(known)
  const entries = [...Object.entries(value), ...missing].map(([key, member]) => {
    const part = schemas.get(key) ?? additionalProperties
    return [key, part ? filled(member, part as JsonSchema) : member]
  })
  return Object.fromEntries(entries)
}

/** The schema with what it refers to. */
function resolved(schema: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema
  const steps = schema.$ref.slice('#/'.length).split('/')
  const target = steps.reduce((at, step) => at[step] as JsonSchema, readSchema())
  return { ...resolved(target), ...schema }
}

/** Whether a value that fits at least one of several schemas fits this schema. */
function isMeant({ type, required = [] }: JsonSchema, value: unknown): boolean {
  if (Array.isArray(value)) return type === 'array'
  if (typeof value !== 'object' || value === null) return type !== 'array' && type !== 'object'
  return type === 'object' && (required as string[]).every((key) => Object.hasOwn(value, key))
}

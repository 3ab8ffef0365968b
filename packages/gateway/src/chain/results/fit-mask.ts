import { isJsonObject, JsonNumber, type JsonObject } from '@gantry/mcp/exchange'
import { referredSchema } from '../../model/index.ts'

/** The part of a tool's output schema that is about one value. */
export type LeafSchema = JsonObject

/** What replaces a text that must have a certain form. No host has a name under `.invalid`. */
const EMPTY_VALUES: Readonly<Record<string, string>> = {
  email: 'masked@masked.invalid',
  'idn-email': 'masked@masked.invalid',
  uri: 'https://masked.invalid/',
  iri: 'https://masked.invalid/',
  'uri-reference': 'masked',
  'iri-reference': 'masked',
  hostname: 'masked.invalid',
  'idn-hostname': 'masked.invalid',
  ipv4: '0.0.0.0',
  ipv6: '::',
  uuid: '00000000-0000-0000-0000-000000000000',
  date: '1970-01-01',
  time: '00:00:00Z',
  'date-time': '1970-01-01T00:00:00Z',
  duration: 'PT0S',
}

const MADE_UP: ReadonlySet<string> = new Set(Object.values(EMPTY_VALUES))

/** Whether a text is such a replacement. What is masked already must not be masked once more. */
export function isMadeUp(text: string): boolean {
  return MADE_UP.has(text)
}

/** What stands in the place of a value so that it still fits its schema, as far as that can be seen here. */
export function fitMask(value: unknown, shown: string, schema: LeafSchema | undefined): unknown {
  const type = schema?.type
  const isNumeric = type === 'number' || type === 'integer'
  if (isNumeric || (type === undefined && schema !== undefined && isNumber(value))) {
    return typeof schema?.minimum === 'number' ? schema.minimum : 0
  }
  if (typeof schema?.format === 'string') return EMPTY_VALUES[schema.format] ?? shown
  return typeof schema?.maxLength === 'number' ? shown.slice(0, schema.maxLength) : shown
}

export function isNumber(value: unknown): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber
}

/** The schema of a member or an element, where it is simple enough to be found. */
export function schemaAt(
  schema: LeafSchema | undefined,
  key: string,
  root: JsonObject | undefined,
): LeafSchema | undefined {
  if (!schema) return undefined
  const { properties, items, additionalProperties } = schema
  const own = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  const found = own ?? (/^\d+$/.test(key) && isJsonObject(items) ? items : additionalProperties)
  return isJsonObject(found) ? resolved(found, root) : undefined
}

const MAX_REFERENCES = 8

function resolved(schema: LeafSchema, root: JsonObject | undefined): LeafSchema {
  let found: unknown = schema
  for (let count = 0; count < MAX_REFERENCES && isJsonObject(found); count++) {
    const { $ref } = found
    if (typeof $ref !== 'string') return found
    found = root && referredSchema($ref, root)
  }
  return isJsonObject(found) ? found : {}
}

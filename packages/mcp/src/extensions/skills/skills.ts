import { CACHE_HINTS, requireKnownOptions } from '../../protocol/known-options.ts'
import { parseDuration } from '../../protocol/parse-duration.ts'
import { complete, type Exchange, type Outcome } from '../../exchange/index.ts'
import { INVALID_PARAMS, ProtocolError, type JsonObject, McpError } from '../../jsonrpc/index.ts'
import type { CacheHint, Server, ResourceDefinition, Visibility } from '../../server/index.ts'
import { type SkillDefinition, CompiledSkill, type CompiledFile } from './compile-skill.ts'
import { SKILLS_EXTENSION, DIRECTORY_TYPE } from './skill.ts'
import { readCursor, writeCursor } from '../../protocol/encoding.ts'
import type { Resource } from '../../protocol/index.ts'

export interface SkillsOptions {
  /** Skills in one page of `skills/list`, and entries in one of a directory. Default 100. */
  pageSize?: number
  cache?: CacheHint
}

/**
 * Serves skills (SEP-2640): every file is a resource, `skills/list` and `skills/get` tell digests and sizes,
 * and directories can be read. A malformed skill is refused here, before the server serves.
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
  requireKnownOptions('list of skills', { pageSize: 'a number', cache: CACHE_HINTS }, options)
  const catalog = new SkillCatalog(definitions, app)
  const pageSize = options.pageSize ?? 100
  const hints: CacheHint = { ...(catalog.isUniform && { cacheScope: 'public' as const }), ...options.cache }
  const { ttl, ...scope } = hints
  const members = { ...scope, ...(ttl !== undefined && { ttlMs: parseDuration(ttl) }) }
  for (const file of catalog.resources()) app.resource({ ...hints, ...file })
  app
    .extension(SKILLS_EXTENSION, { directoryRead: true })
    .method('skills/list', async (exchange) => {
      const { page, nextCursor } = pageOf(catalog.visible(exchange), exchange.params.cursor, pageSize)
      const entries = await Promise.all(page.map((skill) => skill.entry()))
      return complete({ skills: entries, ...(nextCursor !== undefined && { nextCursor }), ...members })
    })
    .method('skills/get', async (exchange) => {
      const skill = catalog.find(exchange.params.uri, exchange)
      if (!skill) throw unknown('No skill is served at', exchange)
      return complete({ skill: await skill.entry(), ...members })
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

const CURSOR = /^from:([0-9]{1,9})$/

function pageOf<T>(
  items: readonly T[],
  cursor: unknown,
  size: number,
): { page: readonly T[]; nextCursor?: string } {
  const from = Number(readCursor(cursor, CURSOR)?.[1] ?? 0)
  const page = items.slice(from, from + size)
  return from + size < items.length ? { page, nextCursor: writeCursor(`from:${from + size}`) } : { page }
}

type Asking = Pick<Exchange, 'auth' | 'client' | 'serverContext'>

/** A file and the skills that it belongs to: the files of a nested skill also belong to the enclosing skill. */
interface SharedFile {
  readonly file: CompiledFile
  readonly owners: CompiledSkill[]
}

class SkillCatalog {
  readonly skills: readonly CompiledSkill[]
  readonly #files = new Map<string, SharedFile>()
  readonly #byUri: ReadonlyMap<string, CompiledSkill>
  readonly #isVisible: Server['isVisible']

  constructor(definitions: readonly SkillDefinition[], app: Pick<Server, 'isVisible'>) {
    this.#isVisible = (definition, asking) => app.isVisible(definition, asking)
    this.skills = definitions.map((definition) => new CompiledSkill(definition))
    for (const skill of this.skills) for (const file of skill.files) this.#share(file, skill)
    this.#byUri = new Map(this.skills.map((skill) => [skill.uri, skill]))
    if (this.#byUri.size < this.skills.length)
      throw new McpError('invalid_definition', 'Two skills have one path')
  }

  /** Whether all callers see the same. */
  get isUniform(): boolean {
    return !this.skills.some(({ definition }) => isRestricted(definition))
  }

  visible(asking: Asking): CompiledSkill[] {
    return this.skills.filter(({ definition }) => this.#isVisible(definition, asking))
  }

  find(uri: unknown, asking: Asking): CompiledSkill | undefined {
    const skill = typeof uri === 'string' ? this.#byUri.get(uri) : undefined
    return skill && this.#isVisible(skill.definition, asking) ? skill : undefined
  }

  resources(): ResourceDefinition[] {
    return [...this.#files.values()].map((shared) => this.#toResource(shared))
  }

  /** The direct children of a directory; undefined when there is no such directory for the caller. */
  directory(uri: string, asking: Asking): Resource[] | undefined {
    // The scheme itself is no directory: the first segment is the authority.
    if (!/^skill:\/\/[^/]/.test(uri)) return undefined
    const children = new Map<string, Resource>()
    for (const shared of this.#files.values()) {
      const { file } = shared
      if (!file.uri.startsWith(`${uri}/`) || !this.#isOpen(shared, asking)) continue
      const [child, ...deeper] = file.uri.slice(uri.length + 1).split('/') as [string, ...string[]]
      const info = deeper.length > 0 ? directoryInfo(`${uri}/${child}`) : this.#infoOf(file)
      children.set(info.uri, info)
    }
    return children.size > 0 ? [...children.values()] : undefined
  }

  #isOpen({ owners }: SharedFile, asking: Asking): boolean {
    return owners.some(({ definition }) => this.#isVisible(definition, asking))
  }

  #share(file: CompiledFile, owner: CompiledSkill): void {
    const known = this.#files.get(file.uri)
    if (!known) this.#files.set(file.uri, { file, owners: [owner] })
    else if (sameContent(known.file, file)) known.owners.push(owner)
    else throw new McpError('invalid_definition', `Two skills have different files at ${file.uri}`)
  }

  #toResource(shared: SharedFile): ResourceDefinition {
    const { file, owners } = shared
    const { content } = file
    const open = owners.some(({ definition }) => !isRestricted(definition))
    return {
      ...this.#infoOf(file),
      ...(!open && { when: (caller) => this.#isOpen(shared, caller) }),
      ...(typeof content === 'function'
        ? { read: () => content() }
        : typeof content === 'string'
          ? { text: content }
          : { blob: content }),
    }
  }

  /** A `SKILL.md` is called and described like its skill (SEP-2640, Resource Metadata). */
  #infoOf({ uri, mimeType, size }: CompiledFile): Resource {
    const skill = this.#byUri.get(uri)
    const name = skill ? skill.frontmatter.name : baseName(uri)
    return {
      uri,
      name,
      ...(skill && { description: skill.frontmatter.description }),
      mimeType,
      ...(size !== undefined && { size }),
    }
  }
}

function isRestricted({ when, scopes = [] }: Visibility): boolean {
  return when !== undefined || scopes.length > 0
}

function directoryInfo(uri: string): Resource {
  return { uri, name: baseName(uri), mimeType: DIRECTORY_TYPE }
}

function baseName(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))
}

function sameContent({ content: a }: CompiledFile, { content: b }: CompiledFile): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, index) => byte === b[index])
  }
  return a === b
}

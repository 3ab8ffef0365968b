import { isJsonObject, McpError, type JsonObject } from '../../jsonrpc/index.ts'
import { type FormsOf, requireKnownOptions, type Resource } from '../../protocol/index.ts'
import type { Client, RequestOptions } from '../../client/index.ts'
import { LoadedSkill } from './loaded-skill.ts'
import { readEntry } from './read-entry.ts'
import { MAX_SKILL_BYTES, MAX_SKILL_FILES, SKILLS_EXTENSION, type Skill } from './skill.ts'
import { contentOf } from './verify-file.ts'

export interface SkillClientOptions {
  /** Load skills whose server tells no digests. Default false. */
  allowDynamic?: boolean
  /** The largest skill that is loaded. Defaults: what every host must accept, 512 files and 16 MiB. */
  maxFiles?: number
  maxBytes?: number
  /** Told about entries of a list that are invalid; they are left out. */
  onInvalid?: (error: McpError) => void
}

const OPTIONS: FormsOf<SkillClientOptions> = {
  allowDynamic: 'true or false',
  maxFiles: 'a number',
  maxBytes: 'a number',
  onInvalid: 'a function',
}

type SkillHost = Pick<Client, 'connect' | 'discovery' | 'request' | 'readResource'>

/** More pages than this are taken for a fault of the server. */
const MAX_PAGES = 1_000

/**
 * Finds and loads the skills of a server (SEP-2640). Nothing is read ahead; what is read is verified against
 * the skill's entry. Skills are untrusted input: whether to load one is the host's and its user's decision.
 *
 * @example
 * ```ts
 * const skills = createSkillClient(client)
 * for await (const { uri, frontmatter } of skills.list()) console.log(uri, frontmatter.description)
 * const skill = await skills.load('skill://pdf-processing/SKILL.md')
 * const forms = await skill.read('references/FORMS.md')
 * ```
 */
export function createSkillClient(client: SkillHost, options: SkillClientOptions = {}): SkillClient {
  return new SkillClient(client, options)
}

export class SkillClient {
  readonly #client: SkillHost
  readonly #options: SkillClientOptions

  constructor(client: SkillHost, options: SkillClientOptions) {
    requireKnownOptions('skill client', OPTIONS, options)
    this.#client = client
    this.#options = options
  }

  /** The skills that the server lists. It may serve others as well: `get` finds them by their URI. */
  async *list(options: RequestOptions = {}): AsyncGenerator<Skill, void, undefined> {
    await this.#settings()
    for await (const page of this.#pages('skills/list', {}, options)) {
      if (!Array.isArray(page.skills))
        throw new McpError('bad_response', 'skills/list answered without skills')
      yield* page.skills.flatMap((entry) => this.#valid(entry))
    }
  }

  async get(uri: string, options: RequestOptions = {}): Promise<Skill> {
    await this.#settings()
    const { skill } = await this.#client.request('skills/get', { uri }, options)
    const entry = readEntry(skill)
    if (entry.uri === uri) return entry
    throw new McpError('bad_response', `skills/get answered with another skill than ${uri}`)
  }

  /** Reads and verifies a skill's `SKILL.md`; give the entry that the user approved, or a URI. */
  async load(skill: Skill | string, options: RequestOptions = {}): Promise<LoadedSkill> {
    const entry = typeof skill === 'string' ? await this.get(skill, options) : readEntry(skill)
    this.#assertLoadable(entry)
    return LoadedSkill.load(
      entry,
      async (uri, signal = options.signal) =>
        // Does not use the cache, because an old copy would look like a forged copy.
        contentOf(await this.#client.readResource(uri, { ...options, signal, fresh: true }), uri),
      options.signal,
    )
  }

  /** The direct children of a directory as the server has them now, where it can tell. */
  async readDirectory(uri: string, options: RequestOptions = {}): Promise<Resource[]> {
    const { directoryRead } = await this.#settings()
    if (directoryRead !== true) throw new McpError('unsupported', 'The server does not read directories')
    const children: Resource[] = []
    for await (const page of this.#pages('resources/directory/read', { uri }, options)) {
      if (!Array.isArray(page.resources)) {
        throw new McpError('bad_response', 'resources/directory/read answered without resources')
      }
      for (const child of page.resources as Resource[]) children.push(child)
    }
    return children
  }

  async #settings(): Promise<JsonObject> {
    const { capabilities } = this.#client.discovery ?? (await this.#client.connect())
    const settings = capabilities.extensions?.[SKILLS_EXTENSION]
    if (isJsonObject(settings)) return settings
    throw new McpError('unsupported', 'The server does not declare the skills extension')
  }

  async *#pages(
    method: string,
    params: JsonObject,
    options: RequestOptions,
  ): AsyncGenerator<JsonObject, void, undefined> {
    const seen = new Set<string>()
    let cursor: unknown
    do {
      const page = await this.#client.request(
        method,
        cursor === undefined ? params : { ...params, cursor },
        options,
      )
      yield page
      cursor = page.nextCursor
      if (typeof cursor !== 'string') return
      if (seen.has(cursor) || seen.size === MAX_PAGES) {
        throw new McpError('cursor_loop', `${method} does not come to an end`)
      }
      seen.add(cursor)
    } while (cursor !== undefined)
  }

  #valid(entry: unknown): Skill[] {
    try {
      return [readEntry(entry)]
    } catch (thrown) {
      this.#options.onInvalid?.(McpError.from(thrown, 'bad_response'))
      return []
    }
  }

  #assertLoadable({ uri, resources }: Skill): void {
    const { allowDynamic = false, maxFiles = MAX_SKILL_FILES, maxBytes = MAX_SKILL_BYTES } = this.#options
    if (resources === 'dynamic') {
      if (allowDynamic) return
      throw new McpError('unsupported', `The skill ${uri} is dynamic: nothing can be verified`)
    }
    const bytes = resources.reduce((sum, { size }) => sum + size, 0)
    if (resources.length <= maxFiles && bytes <= maxBytes) return
    throw new McpError('too_large', `The skill ${uri} has ${resources.length} files and ${bytes} bytes`, {
      details: { uri, maxFiles, maxBytes },
    })
  }
}

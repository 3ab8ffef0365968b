import { canonicalJson, McpError } from '../../jsonrpc/index.ts'
import { parseSkill } from './frontmatter.ts'
import { isWithin } from './read-entry.ts'
import { MAX_SKILL_BYTES, rootOf, type Skill, type SkillFrontmatter, type SkillResource } from './skill.ts'
import { unverified, verifyFile, type SkillContent } from './verify-file.ts'

export type ReadFile = (uri: string, signal: AbortSignal | undefined) => Promise<SkillContent>

/**
 * A verified skill. Its files are read on demand. Only listed files are read, and nothing more after a file that did
 * not match its hash.
 */
export class LoadedSkill {
  /** The entry that the skill was loaded from; it decides what may be read. */
  readonly entry: Skill
  /** The instructions: `SKILL.md` without its frontmatter. Untrusted input, like all that servers say. */
  readonly instructions: string
  readonly #read: ReadFile
  readonly #known = new Map<string, SkillContent>()
  #bytes = 0
  #broken: unknown

  private constructor(entry: Skill, instructions: string, read: ReadFile) {
    this.entry = entry
    this.instructions = instructions
    this.#read = read
  }

  static async load(entry: Skill, read: ReadFile, signal?: AbortSignal): Promise<LoadedSkill> {
    const content = await read(entry.uri, signal)
    const listed = listedIn(entry, entry.uri)
    if (listed) await verifyFile(content, listed)
    const parsed = parseSkill(content.text())
    const found = parsed.ok ? parsed.frontmatter : parsed.problem
    if (!parsed.ok || !isSame(parsed.frontmatter, entry.frontmatter)) {
      throw unverified(entry.uri, 'frontmatter', entry.frontmatter, found)
    }
    const skill = new LoadedSkill(entry, parsed.body, read)
    skill.#keep(content)
    return skill
  }

  get name(): string {
    return this.entry.frontmatter.name
  }

  get frontmatter(): SkillFrontmatter {
    return this.entry.frontmatter
  }

  /** The paths of all files, as the instructions write them; empty for a dynamic skill, which does not tell. */
  get files(): string[] {
    const { resources } = this.entry
    if (resources === 'dynamic') return []
    return resources.map(({ uri }) => this.#pathOf(uri))
  }

  async read(path: string, options: { signal?: AbortSignal } = {}): Promise<SkillContent> {
    if (this.#broken) throw this.#broken
    const uri = this.#resolve(path)
    const known = this.#known.get(uri)
    if (known) return known
    const listed = listedIn(this.entry, uri)
    if (!listed && this.entry.resources !== 'dynamic') throw unverified(uri, 'listing', 'a listed file', path)
    const content = await this.#read(uri, options.signal)
    try {
      if (listed) await verifyFile(content, listed)
      this.#keep(content)
    } catch (thrown) {
      this.#broken = thrown
      throw thrown
    }
    return content
  }

  get #root(): string {
    return `${rootOf(this.entry.uri)}/`
  }

  #pathOf(uri: string): string {
    return decodeURIComponent(uri.slice(this.#root.length))
  }

  #resolve(path: string): string {
    const plain = path.replace(/^\.\//, '')
    // Servers encode differently: the path decides, not the way it is written.
    const { resources } = this.entry
    const listed = resources !== 'dynamic' && resources.find(({ uri }) => this.#pathOf(uri) === plain)
    if (listed) return listed.uri
    const uri = `${this.#root}${plain.split('/').map(encodeURIComponent).join('/')}`
    if (isWithin(this.#root, uri)) return uri
    throw new McpError('invalid_config', `"${path}" is not a path within the skill ${this.name}`)
  }

  /** Verified once, and for as long as the skill is in use: the entry cannot change under it. */
  #keep(content: SkillContent): void {
    this.#bytes += content.bytes.length
    const { resources, uri } = this.entry
    if (resources === 'dynamic' && this.#bytes > MAX_SKILL_BYTES) {
      throw new McpError('too_large', `The skill ${uri} has more than ${MAX_SKILL_BYTES} bytes`)
    }
    if (resources !== 'dynamic') this.#known.set(content.uri, content)
  }
}

function listedIn({ resources }: Skill, uri: string): SkillResource | undefined {
  return resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri)
}

/** Field by field, in any order. */
function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b)
}

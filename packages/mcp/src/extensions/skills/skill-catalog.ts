import type { Exchange } from '../../exchange/index.ts'
import { McpError } from '../../jsonrpc/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { ResourceDefinition, Server, Visibility } from '../../server/index.ts'
import { CompiledSkill, type CompiledFile, type SkillDefinition } from './compile-skill.ts'
import { DIRECTORY_TYPE } from './skill.ts'

type Asking = Pick<Exchange, 'auth' | 'client' | 'serverContext'>

/** A file and the skills that it belongs to: a nested skill's files are files of the enclosing one as well. */
interface SharedFile {
  readonly file: CompiledFile
  readonly owners: CompiledSkill[]
}

/** The skills of a server, and their files by URI. */
export class SkillCatalog {
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

  /** Whether everybody sees the same. */
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

  /** The files as resources for the server's registry. */
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

import { McpError } from '../../jsonrpc/index.ts'
import { type FormsOf, requireKnownOptions } from '../../protocol/index.ts'
import type { Visibility } from '../../server/index.ts'
import { parseSkill } from './frontmatter.ts'
import {
  digestOf,
  MAX_SKILL_BYTES,
  MAX_SKILL_FILES,
  SKILL_FILE,
  type Skill,
  type SkillFrontmatter,
} from './skill.ts'

/** A file's content, or what produces it: that makes the skill `dynamic`, and hosts may decline to load it. */
export type SkillFile = string | Uint8Array | (() => SkillContent | Promise<SkillContent>)
type SkillContent = string | Uint8Array

/** A skill as a value: its files by their paths, `SKILL.md` among them. */
export interface SkillDefinition extends Visibility {
  files: Readonly<Record<string, SkillFile>>
  /** Where it is among the server's skills, such as `acme/billing/refunds`. Default: its name. */
  path?: string
}

const SKILL_OPTIONS: FormsOf<SkillDefinition> = {
  files: 'an object',
  path: 'text',
  when: 'a function',
  scopes: 'a list',
}

export interface CompiledFile {
  readonly uri: string
  /** Text where the bytes are UTF-8, so that models can read it as it is. */
  readonly content: SkillContent | (() => SkillContent | Promise<SkillContent>)
  readonly mimeType: string
  /** In bytes; unknown for what is produced on demand. */
  readonly size: number | undefined
}

/** A skill made ready. Its digests are computed when they are first asked for, and once. */
export class CompiledSkill {
  readonly definition: SkillDefinition
  readonly uri: string
  readonly frontmatter: SkillFrontmatter
  readonly files: readonly CompiledFile[]
  #entry: Promise<Skill> | undefined

  constructor(definition: SkillDefinition) {
    requireKnownOptions('skill', SKILL_OPTIONS, definition)
    this.definition = definition
    const main = Object.hasOwn(definition.files, SKILL_FILE) ? definition.files[SKILL_FILE] : undefined
    this.frontmatter = readFrontmatter(main, definition.path)
    const root = rootUri(definition.path ?? this.frontmatter.name, this.frontmatter.name)
    this.uri = `${root}/${SKILL_FILE}`
    this.files = Object.entries(definition.files).map(([path, file]) => compileFile(root, path, file))
    this.#checkSize()
  }

  entry(): Promise<Skill> {
    this.#entry ??= this.#describe()
    return this.#entry
  }

  async #describe(): Promise<Skill> {
    const { uri, frontmatter, files } = this
    if (files.some(({ content }) => typeof content === 'function')) {
      return { uri, frontmatter, resources: 'dynamic' }
    }
    const resources = files.map(async (file) => {
      const bytes = toBytes(file.content as SkillContent)
      return { uri: file.uri, digest: await digestOf(bytes), size: bytes.length }
    })
    return { uri, frontmatter, resources: await Promise.all(resources) }
  }

  #checkSize(): void {
    const { name } = this.frontmatter
    if (this.files.length > MAX_SKILL_FILES) {
      throw invalid(
        name,
        `it has ${this.files.length} files; hosts need not take more than ${MAX_SKILL_FILES}`,
      )
    }
    let bytes = 0
    for (const { size = 0 } of this.files) bytes += size
    if (bytes > MAX_SKILL_BYTES) {
      throw invalid(name, `it has ${bytes} bytes; hosts need not take more than ${MAX_SKILL_BYTES}`)
    }
  }
}

function readFrontmatter(main: SkillFile | undefined, path = '(unnamed)'): SkillFrontmatter {
  if (main === undefined) throw invalid(path, `it has no ${SKILL_FILE}`)
  if (typeof main === 'function') throw invalid(path, `its ${SKILL_FILE} must be there when it is defined`)
  const parsed = parseSkill(typeof main === 'string' ? main : (decode(main) ?? ''))
  if (!parsed.ok) throw invalid(path, `${SKILL_FILE}: ${parsed.problem}`)
  return parsed.frontmatter
}

/** The last segment is the skill's name, so that the name can be read from the URI (SEP-2640, Resource Mapping). */
function rootUri(path: string, name: string): string {
  const segments = path.split('/')
  if (segments.at(-1) !== name) {
    throw invalid(path, `its directory must be called like the skill, "${name}"`)
  }
  return `skill://${encodePath(segments, path)}`
}

function compileFile(root: string, path: string, file: SkillFile): CompiledFile {
  const uri = `${root}/${encodePath(path.split('/'), path)}`
  if (typeof file === 'function') {
    return { uri, content: file, mimeType: mimeTypeOf(path, true), size: undefined }
  }
  const text = typeof file === 'string' ? file : decode(file)
  const mimeType = mimeTypeOf(path, text !== undefined)
  return { uri, content: text ?? file, mimeType, size: toBytes(file).length }
}

function encodePath(segments: readonly string[], path: string): string {
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw invalid(path, 'paths have no empty, "." or ".." segments')
  }
  return segments.map(encodeURIComponent).join('/')
}

/** Undefined for bytes that are not UTF-8. A byte order mark stays: digests are of every byte. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function toBytes(content: SkillContent): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}

function invalid(what: string, problem: string): McpError {
  return new McpError('invalid_definition', `The skill "${what}": ${problem}`)
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bash: 'application/x-sh',
    css: 'text/css',
    csv: 'text/csv',
    gif: 'image/gif',
    htm: 'text/html',
    html: 'text/html',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    js: 'text/javascript',
    json: 'application/json',
    md: 'text/markdown',
    mjs: 'text/javascript',
    pdf: 'application/pdf',
    png: 'image/png',
    py: 'text/x-python',
    sh: 'application/x-sh',
    svg: 'image/svg+xml',
    toml: 'application/toml',
    ts: 'text/x-typescript',
    tsv: 'text/tab-separated-values',
    txt: 'text/plain',
    wasm: 'application/wasm',
    webp: 'image/webp',
    xml: 'application/xml',
    yaml: 'application/yaml',
    yml: 'application/yaml',
    zip: 'application/zip',
  }),
)

/** By the end of the name; what is unknown is text or bytes. */
function mimeTypeOf(path: string, isText: boolean): string {
  const ending = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase()
  const known = ending === undefined ? undefined : TYPES.get(ending)
  return known ?? (isText ? 'text/plain' : 'application/octet-stream')
}

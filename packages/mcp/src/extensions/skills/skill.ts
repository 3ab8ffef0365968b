/** The extension's name in the server's `capabilities.extensions` (SEP-2640). */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'
/** The file that makes a directory a skill. */
export const SKILL_FILE = 'SKILL.md'
export const DIRECTORY_TYPE = 'inode/directory'
/** Limits that every host accepts. Some hosts do not load larger skills (SEP-2640, Limits). */
export const MAX_SKILL_FILES = 512
export const MAX_SKILL_BYTES: number = 16 * 1024 * 1024

/** One file of a skill; digest and size are of its raw bytes. */
export interface SkillResource {
  uri: string
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  digest: string
  size: number
}

/** The YAML at the head of a `SKILL.md`, as JSON. */
export interface SkillFrontmatter {
  name: string
  description: string
  [key: string]: unknown
}

/** A skill, as `skills/list` and `skills/get` describe it. */
export interface Skill {
  uri: string
  frontmatter: SkillFrontmatter
  /** Every file of the skill; `dynamic` when digests cannot be told in advance. */
  resources: SkillResource[] | 'dynamic'
}

export function rootOf(skillUri: string): string {
  return skillUri.slice(0, -`/${SKILL_FILE}`.length)
}

/** SHA-256 in the form that entries have. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)
  const hex = Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0'))
  return `sha256:${hex.join('')}`
}

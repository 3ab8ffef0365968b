import { Lexer, parse } from 'yaml'
import { isJsonObject, parseJson } from '../../jsonrpc/index.ts'
import { isDeepYaml } from '../../protocol/index.ts'
import type { SkillFrontmatter } from './skill.ts'

export type ParsedSkill =
  | { ok: true; frontmatter: SkillFrontmatter; body: string }
  | { ok: false; problem: string }

/** Checking that keys are unique takes time quadratic in their number. */
const LONGEST_FRONTMATTER = 16 * 1024
const LONGEST_DESCRIPTION = 1_024

/** Reads the head of a `SKILL.md`. It comes from strangers, so its size and its aliases are bounded. */
export function parseSkill(text: string): ParsedSkill {
  const split = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  if (!split?.[1]) return { ok: false, problem: 'it does not begin with YAML between two lines of ---' }
  if (split[1].length > LONGEST_FRONTMATTER) return { ok: false, problem: 'its frontmatter is too long' }
  const values = parseYaml(split[1])
  if (!isJsonObject(values)) return { ok: false, problem: 'its frontmatter is not a YAML mapping' }
  const problem = checkFields(values)
  if (problem) return { ok: false, problem }
  return { ok: true, frontmatter: values as SkillFrontmatter, body: text.slice(split[0].length) }
}

/** Allows only JSON values, because the frontmatter travels as JSON and is compared as JSON. */
function parseYaml(text: string): unknown {
  if (isDeepYaml(text, (source) => new Lexer().lex(source))) return undefined
  try {
    const value: unknown = parse(text, { schema: 'core', maxAliasCount: 16, logLevel: 'error' })
    return parseJson(JSON.stringify(value) ?? 'null')
  } catch {
    return undefined
  }
}

function checkFields({ name, description }: { name?: unknown; description?: unknown }): string | undefined {
  if (typeof name !== 'string' || !isSkillName(name)) {
    return 'its name must be 1 to 64 of a-z, 0-9 and single hyphens between them'
  }
  if (typeof description !== 'string' || description.trim() === '') return 'it needs a description'
  if (description.length > LONGEST_DESCRIPTION) return 'its description is longer than 1024 characters'
  return undefined
}

/** The rules of the Agent Skills specification. */
function isSkillName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
}

import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import { rootOf, SKILL_FILE, type Skill, type SkillResource } from './skill.ts'

/** Reads what a server says about a skill. What it must not look like is refused before any file is read. */
export function readEntry(value: unknown): Skill {
  if (!isJsonObject(value) || typeof value.uri !== 'string') throw invalid('(unnamed)', 'it has no uri')
  const { uri, frontmatter, resources } = value
  if (!uri.endsWith(`/${SKILL_FILE}`)) throw invalid(uri, `its uri does not end with /${SKILL_FILE}`)
  if (!isJsonObject(frontmatter)) throw invalid(uri, 'it has no frontmatter')
  if (typeof frontmatter.description !== 'string') throw invalid(uri, 'it has no description')
  if (frontmatter.name !== lastSegment(rootOf(uri)))
    throw invalid(uri, 'its name is not that of its directory')
  if (resources !== 'dynamic') checkResources(uri, resources)
  return value as unknown as Skill
}

function checkResources(uri: string, resources: unknown): void {
  if (!Array.isArray(resources)) throw invalid(uri, 'its resources are neither a list nor "dynamic"')
  const root = `${rootOf(uri)}/`
  const seen = new Set<string>()
  for (const resource of resources as unknown[]) {
    if (!isResource(resource)) throw invalid(uri, 'a file of it has no uri, digest or size')
    if (seen.has(resource.uri)) throw invalid(uri, `${resource.uri} is listed twice`)
    if (!isWithin(root, resource.uri)) throw invalid(uri, `${resource.uri} is not a file of the skill`)
    seen.add(resource.uri)
  }
  if (!seen.has(uri)) throw invalid(uri, `its ${SKILL_FILE} is not among its files`)
}

function isResource(value: unknown): value is SkillResource {
  if (!isJsonObject(value)) return false
  const { uri, digest, size } = value
  return (
    typeof uri === 'string' &&
    typeof digest === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(digest) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0
  )
}

/** Below the root, without a way up: not even one that is percent-encoded. */
export function isWithin(root: string, uri: string): boolean {
  if (!uri.startsWith(root) || uri.length === root.length) return false
  return uri.slice(root.length).split('/').every(isPlainSegment)
}

function isPlainSegment(segment: string): boolean {
  try {
    const decoded = decodeURIComponent(segment)
    if (/[?#]/.test(segment) || /[/\\]/.test(decoded)) return false
    return decoded !== '' && decoded !== '.' && decoded !== '..'
  } catch {
    return false
  }
}

function lastSegment(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1)
}

function invalid(uri: string, problem: string): McpError {
  return new McpError('bad_response', `The server's entry for the skill ${uri} is invalid: ${problem}`, {
    details: { uri },
  })
}

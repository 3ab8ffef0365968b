import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { McpError } from '../../jsonrpc/index.ts'
import type { SkillDefinition } from './compile-skill.ts'
import { MAX_SKILL_BYTES, MAX_SKILL_FILES, SKILL_FILE } from './skill.ts'

interface Found {
  readonly path: string
  readonly size: number
}

/**
 * Reads skills from a directory: itself when it has a `SKILL.md`, and every directory below that has one.
 * What begins with a dot and symbolic links are left out.
 *
 * @example
 * ```ts
 * skills(app, await loadSkills('./skills'))
 * ```
 */
export async function loadSkills(directory: string): Promise<SkillDefinition[]> {
  const root = resolve(directory)
  const files = await listFiles(root, '')
  const homes = files
    .filter(({ path }) => path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`))
    .map(({ path }) => path.slice(0, -SKILL_FILE.length))
  if (homes.length === 0) {
    throw new McpError('invalid_definition', `There is no ${SKILL_FILE} in ${root} or below it`)
  }
  return Promise.all(homes.map((home) => loadSkill(root, home, files)))
}

/** `home` is empty, or ends with `/`. */
async function loadSkill(root: string, home: string, files: readonly Found[]): Promise<SkillDefinition> {
  const own = files.filter(({ path }) => path.startsWith(home))
  const bytes = own.reduce((sum, { size }) => sum + size, 0)
  if (own.length > MAX_SKILL_FILES || bytes > MAX_SKILL_BYTES) {
    throw new McpError(
      'invalid_definition',
      `The skill in ${join(root, home)} has ${own.length} files and ${bytes} bytes; hosts need not take more than ${MAX_SKILL_FILES} and ${MAX_SKILL_BYTES}`,
    )
  }
  const contents = await Promise.all(
    own.map(async ({ path }) => [path.slice(home.length), await readFile(join(root, path))] as const),
  )
  return { path: home === '' ? basename(root) : home.slice(0, -1), files: Object.fromEntries(contents) }
}

/** In the order of the names, so that every start serves the same list. */
async function listFiles(root: string, below: string): Promise<Found[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((cause: unknown) => {
    throw new McpError('invalid_definition', `Skills cannot be read from ${join(root, below)}`, { cause })
  })
  const found: Found[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = `${below}${entry.name}`
    if (entry.isDirectory()) found.push(...(await listFiles(root, `${path}/`)))
    else if (entry.isFile()) found.push({ path, size: (await stat(join(root, path))).size })
  }
  return found
}

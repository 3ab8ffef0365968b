import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { loadTypeScript } from './load-typescript.ts'
import type { Note } from './rewrite.ts'
import { rewriteFile } from './rewrite-file.ts'

const OFFICIAL = '@modelcontextprotocol/sdk'
/** The first that writes JSON Schema by itself. */
const ZOD = '^4.2.0'

export interface ChangedFile {
  readonly path: string
  readonly before: string
  readonly after: string
  readonly notes: readonly Note[]
}

/** Returns the new text of the files in a folder and of the `package.json` above them. Writes nothing. */
export function rewriteProject(folder: string, gantryVersion: string): ChangedFile[] {
  const typescript = loadTypeScript()
  const changed: ChangedFile[] = []
  const imports = new Set<string>()
  for (const path of sourcesIn(folder)) {
    const before = readFileSync(path, 'utf8')
    const rewritten = rewriteFile(path, before, typescript)
    if (rewritten) {
      changed.push({ path, before, after: rewritten.text, notes: rewritten.notes })
      for (const name of rewritten.imports) imports.add(name)
    } else if (before.includes(OFFICIAL)) imports.add(OFFICIAL)
  }
  const manifest = changed.length > 0 ? manifestAbove(folder) : undefined
  if (manifest !== undefined) changed.push(rewriteManifest(manifest, imports, gantryVersion))
  return changed
}

function* sourcesIn(path: string): Generator<string> {
  if (statSync(path).isFile()) {
    yield path
    return
  }
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === 'node_modules' || entry.name.startsWith('.')) continue
    const inside = join(path, entry.name)
    if (entry.isDirectory()) yield* sourcesIn(inside)
    // A link could lead out of the folder, and a pipe never ends.
    else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && !/\.d\.[cm]?ts$/.test(entry.name))
      yield inside
  }
}

function manifestAbove(path: string): string | undefined {
  const manifest = join(path, 'package.json')
  // A link could lead to any file of the user, and the codemod writes what it has read.
  const facts = lstatSync(manifest, { throwIfNoEntry: false })
  if (facts) return facts.isFile() ? manifest : undefined
  return dirname(path) === path ? undefined : manifestAbove(dirname(path))
}

function rewriteManifest(path: string, imports: ReadonlySet<string>, gantryVersion: string): ChangedFile {
  const before = readFileSync(path, 'utf8')
  const manifest = JSON.parse(before) as { dependencies?: Record<string, string> }
  const dependencies: Record<string, string> = {
    ...manifest.dependencies,
    '@gantry/mcp': `^${gantryVersion}`,
  }
  if (!imports.has(OFFICIAL)) delete dependencies[OFFICIAL]
  if (imports.has('zod') && !isNewEnough(dependencies.zod)) dependencies.zod = ZOD
  const sorted = Object.fromEntries(Object.entries(dependencies).sort(([a], [b]) => (a < b ? -1 : 1)))
  const indent = /^[\t ]+/m.exec(before)?.[0] ?? '  '
  const text = JSON.stringify({ ...manifest, dependencies: sorted }, undefined, indent)
  const after = (before.endsWith('\n') ? `${text}\n` : text).replaceAll(
    '\n',
    before.includes('\r\n') ? '\r\n' : '\n',
  )
  return { path, before, after, notes: [] }
}

function isNewEnough(range: string | undefined): boolean {
  const [, major = 0, minor = 0] = /(\d+)(?:\.(\d+))?/.exec(range ?? '') ?? []
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 2)
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A folder in uv's cache: an unpacked package, or an environment that is made of unpacked packages. */
const FOLDER = /(?:[A-Za-z]:)?[^\s'"`:]*[\\/]archive-v\d+[\\/][\w-]+/g

/**
 * The incomplete folders out of those that an error names, and the unpacked packages that they come from. uv does not
 * check whether they are complete; it makes folders again that do not exist. Undefined when the error names no existing
 * folder.
 */
export function damagedFolders(stderr: string): string[] | undefined {
  const named = [...new Set(stderr.match(FOLDER))].filter((folder) => existsSync(folder))
  return named.length === 0 ? undefined : [...new Set(named.flatMap(withSources))]
}

function withSources(folder: string): string[] {
  const incomplete = incompletePackages(folder)
  if (incomplete.length === 0) return []
  const others = readdirSync(dirname(folder)).map((name) => join(dirname(folder), name))
  const sources = others.filter((one) => incomplete.some((name) => existsSync(join(one, name))))
  return [folder, ...sources.filter((one) => one !== folder && incompletePackages(one).length > 0)]
}

/** The packages in a folder that list files which are missing. */
function incompletePackages(folder: string): string[] {
  return packageFolders(folder).flatMap((packages) =>
    readdirSync(packages)
      .filter((name) => name.endsWith('.dist-info'))
      .filter((name) => !hasAllFiles(packages, join(packages, name, 'RECORD'))),
  )
}

/** An unpacked package is such a folder itself; an environment contains such a folder for its interpreter. */
function packageFolders(folder: string): string[] {
  if (!existsSync(join(folder, 'pyvenv.cfg'))) return [folder]
  const lib = join(folder, 'lib')
  const versions = existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name)) : []
  const candidates = [...versions, join(folder, 'Lib')].map((one) => join(one, 'site-packages'))
  return candidates.filter((one) => existsSync(one))
}

function hasAllFiles(packages: string, record: string): boolean {
  if (!existsSync(record)) return false
  const files = readFileSync(record, 'utf8').split('\n').map(fileOf)
  // Compiled files may be missing.
  return files.every((file) => file === '' || file.endsWith('.pyc') || existsSync(join(packages, file)))
}

/** The first column of a line, which is in quotes when it has a comma. */
function fileOf(line: string): string {
  const quoted = /^"((?:[^"]|"")*)"/.exec(line)?.[1]
  return quoted?.replaceAll('""', '"') ?? line.split(',', 1)[0]!.trim()
}

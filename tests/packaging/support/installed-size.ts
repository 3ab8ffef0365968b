import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, readManifest } from './install-packed.ts'

/** The bytes of a package and of all that it depends on, each counted once. */
export function installedSize(folder: string, name: string, counted: Set<string> = new Set()): number {
  const at = packageFolder(folder, name)
  if (counted.has(at) || !existsSync(at)) return 0
  counted.add(at)
  const own = readdirSync(at, { recursive: true })
    .map((entry) => statSync(join(at, String(entry))))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)
  const dependencies = Object.keys(readManifest(at).dependencies ?? {})
  return dependencies.reduce((sum, next) => sum + installedSize(folder, next, counted), own)
}

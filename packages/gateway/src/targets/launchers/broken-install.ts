import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { reveal, type StdioTarget } from '../../model/index.ts'
import { launcherOf } from './launcher.ts'
import { damagedFolders } from './uv-archives.ts'

/** Messages of npm and Node when files of an installation are missing or in the way. */
const DAMAGE =
  /Cannot find (?:module|package)|ENOTEMPTY|ENOENT|ERR_MODULE_NOT_FOUND|not found|MODULE_NOT_FOUND/
const FOLDER = /((?:[A-Za-z]:)?[^\s'":]*[\\/]_npx[\\/][0-9a-f]{8,})(?=[\\/'"\s]|$)/m

/** The message of uv when a package in its cache is damaged. */
const UV_DAMAGE =
  /\buvx?\b[^\n]*(?:cache|archive)[^\n]*(?:corrupt|invalid|missing|failed)|failed to (?:unzip|extract|read from the distribution cache)|failed to [^\n]*archive-v\d/i

export type BrokenInstall =
  | { readonly folder: string }
  | { readonly folders: readonly string[] }
  | { readonly command: readonly string[] }

/** A package that was installed only in part: what is in the way, or the command that clears the cache. */
export function brokenInstall(model: StdioTarget, stderr: string): BrokenInstall | undefined {
  const launcher = launcherOf(model.command)
  if (launcher === 'uvx' || launcher === 'uv') return brokenUvCache(model, stderr)
  if (!isNpm(model) || !DAMAGE.test(stderr)) return undefined
  const folder =
    FOLDER.exec(stderr)?.[1] ?? npxFolders(model).find((one) => existsSync(one) && !isComplete(one))
  return folder === undefined ? undefined : { folder }
}

/**
 * Errors name a folder of the cache. Its files tell a damaged package from a server with a mistake of its own. `uv cache
 * clean` does not help here: it leaves dependencies and environments, and waits for all servers that uvx has started.
 */
function brokenUvCache(model: StdioTarget, stderr: string): BrokenInstall | undefined {
  const folders = damagedFolders(stderr)
  if (folders) return folders.length > 0 ? { folders } : undefined
  const name = UV_DAMAGE.test(stderr) ? uvPackageOf(model.args.map(reveal)) : undefined
  if (name === undefined) return undefined
  const uv = model.command.replace(/uvx((?:\.\w+)?)$/i, 'uv$1')
  return { command: [uv, 'cache', 'clean', name] }
}

/** The name alone: `--from some-server==1.2 start` is `some-server`. */
function uvPackageOf(args: readonly string[]): string | undefined {
  const from = args.indexOf('--from')
  const words = args.filter((word) => !['tool', 'run', 'x'].includes(word))
  const spec = from >= 0 ? args[from + 1] : words.find((word) => !word.startsWith('-'))
  return /^[\w.-]+/.exec(spec ?? '')?.[0]
}

/** npm writes this file last. */
function isComplete(folder: string): boolean {
  return existsSync(join(folder, 'node_modules', '.package-lock.json'))
}

function isNpm({ command }: StdioTarget): boolean {
  const launcher = launcherOf(command)
  return launcher === 'npx' || launcher === 'npm'
}

/**
 * Where `npx` may have put the packages of a target: a folder named after a hash of what was asked for (libnpmexec).
 * Empty for other programs.
 */
export function npxFolders(model: StdioTarget): string[] {
  if (!isNpm(model)) return []
  const packages = packagesOf(model.args.map(reveal)).sort((a, b) => a.localeCompare(b, 'en'))
  if (packages.length === 0) return []
  const hash = createHash('sha512').update(packages.join('\n')).digest('hex').slice(0, 16)
  const given = model.env.npm_config_cache?.reveal() ?? process.env.npm_config_cache
  const home = model.env.HOME?.reveal() ?? homedir()
  return [given, join(home, '.npm')].flatMap((cache) =>
    cache === undefined ? [] : [join(cache, '_npx', hash)],
  )
}

function packagesOf(args: readonly string[]): string[] {
  const named: string[] = []
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!
    const joined = /^--package=(.+)$/.exec(word)?.[1]
    if (joined !== undefined) named.push(joined)
    else if (word === '-p' || word === '--package') named.push(args[++at] ?? '')
    else if (!word.startsWith('-') && word !== 'exec' && word !== 'x') {
      return named.length > 0 ? named : [word]
    }
  }
  return named
}

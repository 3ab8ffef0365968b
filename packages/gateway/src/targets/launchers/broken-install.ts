import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { reveal, type StdioTarget } from '../../model/index.ts'
import { launcherOf } from './launcher.ts'

/** What npm and Node say when files of an installation are missing or in the way. */
const DAMAGE =
  /Cannot find (?:module|package)|ENOTEMPTY|ENOENT|ERR_MODULE_NOT_FOUND|not found|MODULE_NOT_FOUND/
const FOLDER = /((?:[A-Za-z]:)?[^\s'":]*[\\/]_npx[\\/][0-9a-f]{8,})(?=[\\/'"\s]|$)/m

/** The folder of a package that `npx` installed only in part; every later start would fail with it. */
export function brokenInstall(model: StdioTarget, stderr: string): string | undefined {
  const launcher = launcherOf(model.command)
  if ((launcher !== 'npx' && launcher !== 'npm') || !DAMAGE.test(stderr)) return undefined
  const named = FOLDER.exec(stderr)?.[1]
  if (named !== undefined) return named
  return foldersOf(model).find((folder) => existsSync(folder) && !isComplete(folder))
}

/** npm writes this file last. */
function isComplete(folder: string): boolean {
  return existsSync(join(folder, 'node_modules', '.package-lock.json'))
}

/** Where `npx` puts these packages: a folder named after a hash of what was asked for (libnpmexec). */
function foldersOf(model: StdioTarget): string[] {
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

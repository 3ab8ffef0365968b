import { basename, join } from 'node:path'
import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'

/** Programs that install a package, when it is not there yet, and then run it. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  'npx',
  'npm',
  'pnpm',
  'pnpx',
  'yarn',
  'bunx',
  'uvx',
  'uv',
  'pipx',
])

/** The launcher that a command is, or undefined. */
export function launcherOf(command: string): string | undefined {
  const name = basename(command.replaceAll('\\', '/')).replace(/\.(cmd|exe|ps1|bat)$/i, '')
  return LAUNCHERS.has(name) ? name : undefined
}

/** Gives launchers folders of the gateway when no home is writable. Configured values go first. */
export function launcherEnvironment(
  stateDir: string,
  given: Readonly<Record<string, unknown>>,
): Record<string, string> {
  if (isWritable(typeof given.HOME === 'string' ? given.HOME : homedir())) return {}
  const cache = join(stateDir, 'cache')
  const folders: Record<string, string> = {
    npm_config_cache: join(cache, 'npm'),
    UV_CACHE_DIR: join(cache, 'uv'),
    UV_TOOL_DIR: join(cache, 'uv-tools'),
    UV_PYTHON_INSTALL_DIR: join(cache, 'uv-python'),
    PIPX_HOME: join(cache, 'pipx'),
    XDG_CACHE_HOME: cache,
    XDG_DATA_HOME: join(cache, 'data'),
    HOME: cache,
  }
  for (const name of Object.keys(folders)) {
    const inherited = name === 'HOME' ? undefined : process.env[name]
    if (inherited !== undefined) folders[name] = inherited
  }
  return folders
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

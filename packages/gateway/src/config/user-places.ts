import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { createHash } from 'node:crypto'

/** Facts about this machine and user. Tests pass facts about other machines. */
export interface UserPlaces {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export function currentPlaces(): UserPlaces {
  return { platform: process.platform, home: homedir(), env: process.env, cwd: process.cwd() }
}

/** Where programs keep a user's settings. */
export function configHome({ platform, home, env }: UserPlaces): string {
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}

/** Where programs keep what they know from the last run. */
export function stateHome({ platform, home, env }: UserPlaces): string {
  if (platform === 'win32') return env.LOCALAPPDATA ?? join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env.XDG_STATE_HOME || join(home, '.local', 'state')
}

/** A folder of its own for each configuration file, so that two gateways do not mix their catalogs. */
export function stateDirFor(file: string | undefined, places: UserPlaces): string {
  const key = file ?? 'embedded'
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8)
  const name = basename(key).replaceAll(/[^A-Za-z0-9_.-]/g, '-')
  return join(stateHome(places), 'gantry', `${name}-${hash}`)
}

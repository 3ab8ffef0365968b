import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configHome, type UserPlaces } from './user-places.ts'

export const CONFIG_NAMES: readonly string[] = ['gantry.yaml', 'gantry.yml', 'gantry.jsonc', 'gantry.json']

/**
 * The file to use: the file that was asked for, `GANTRY_CONFIG`, a file in the current folder, or the user's own file.
 */
export function findConfig(places: UserPlaces, asked?: string): string | undefined {
  const named = asked ?? places.env.GANTRY_CONFIG
  if (named) return resolve(places.cwd, named)
  return candidates(places).find((file) => existsSync(file))
}

export function userConfigFile(places: UserPlaces): string {
  return join(ownFolder(places), 'gantry.jsonc')
}

export function ownFolder(places: UserPlaces): string {
  return join(configHome(places), 'gantry')
}

export function searchedFolders(places: UserPlaces): string[] {
  return [places.cwd, ownFolder(places)]
}

function candidates(places: UserPlaces): string[] {
  return searchedFolders(places).flatMap((folder) => CONFIG_NAMES.map((name) => join(folder, name)))
}

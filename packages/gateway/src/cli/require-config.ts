import { resolve } from 'node:path'
import { findConfig, searchedFolders, type UserPlaces } from '../config/index.ts'
import { CliError } from './cli-error.ts'
import type { CliIo } from './cli-io.ts'

export function requireConfig(io: CliIo, asked: string | undefined): string {
  const file = asked === undefined ? findConfig(io.places) : resolve(io.places.cwd, asked)
  if (file !== undefined) return file
  throw noConfig(io.places)
}

export function noConfig(places: UserPlaces, alternative = ''): CliError {
  const more = alternative === '' ? '' : `, ${alternative}`
  return new CliError('There is no configuration', {
    exitCode: 2,
    fix: `Make one with "gantry init" or "gantry import"${more}. Looked for gantry.{yaml,yml,jsonc,json} in ${searchedFolders(places).join(' and ')}`,
  })
}

import {
  type Loaded,
  type LoadResult,
  formatOf,
  maskSecrets,
  type Problem,
  findConfig,
  searchedFolders,
  type UserPlaces,
} from '../config/index.ts'
import { CliExit, CliError } from './cli-error.ts'
import { paintFor, printJson, type CliIo, type GlobalOptions, type CliStream, printLine } from './cli-io.ts'
import { readSmallFile } from '../model/index.ts'
import { formatProblem } from './format-problem.ts'
import type { Paint } from './paint.ts'
import { resolve } from 'node:path'

/** Says what is wrong with a configuration and goes on with it, or ends the command when it cannot be used. */
export async function acceptConfig(
  result: LoadResult,
  file: string,
  options: GlobalOptions,
  io: CliIo,
): Promise<Loaded> {
  const problems = result.ok ? result.warnings : result.problems
  if (!result.ok && options.json) {
    printJson(io, { ok: false, file, problems })
    throw new CliExit(2)
  }
  await printProblems(problems, { file, stream: io.stderr, io, paint: paintFor(io.stderr, io, options) })
  if (!result.ok) throw new CliExit(2)
  return result
}

export async function printProblems(
  problems: readonly Problem[],
  { file, stream, io, paint }: { file: string; stream: CliStream; io: CliIo; paint: Paint },
): Promise<void> {
  if (problems.length === 0) return
  const text = (await readSmallFile(file).catch(() => '')).replace(/^\uFEFF/, '')
  const masked = text === '' ? '' : await maskSecrets(text, formatOf(file, text))
  for (const problem of problems) {
    printLine(stream, `${formatProblem(problem, masked, { paint, cwd: io.places.cwd })}\n`)
  }
}

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

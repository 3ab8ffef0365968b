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
import type { Cli } from './cli.ts'
import { CliExit, CliError } from './cli-error.ts'
import type { CliIo, CliStream } from './cli-io.ts'
import { readSmallFile } from '../model/index.ts'
import { formatProblem } from './format-problem.ts'
import { resolve } from 'node:path'

/** Says what is wrong with a configuration and goes on with it, or ends the command when it cannot be used. */
export async function acceptConfig(result: LoadResult, file: string, cli: Cli): Promise<Loaded> {
  const problems = result.ok ? result.warnings : result.problems
  if (!result.ok && cli.json) {
    cli.printJson({ ok: false, file, problems })
    throw new CliExit(2)
  }
  await printProblems(problems, cli, { file, stream: cli.io.stderr })
  if (!result.ok) throw new CliExit(2)
  return result
}

export async function printProblems(
  problems: readonly Problem[],
  cli: Cli,
  { file, stream }: { file: string; stream: CliStream },
): Promise<void> {
  if (problems.length === 0) return
  const text = (await readSmallFile(file).catch(() => '')).replace(/^\uFEFF/, '')
  const paint = cli.paintFor(stream)
  const masked = text === '' ? '' : await maskSecrets(text, formatOf(file, text))
  for (const problem of problems) {
    stream.write(`${formatProblem(problem, masked, { paint, cwd: cli.io.places.cwd })}\n\n`)
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

import type { Loaded, LoadResult } from '../config/index.ts'
import { CliExit } from './cli-error.ts'
import { paintFor, printJson, type CliIo, type GlobalOptions } from './cli-io.ts'
import { printProblems } from './print-problems.ts'

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

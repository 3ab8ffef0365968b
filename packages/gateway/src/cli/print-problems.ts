import { formatOf, maskSecrets, type Problem } from '../config/index.ts'
import { readSmallFile } from '../model/index.ts'
import { type CliIo, type CliStream, printLine } from './cli-io.ts'
import { formatProblem } from './format-problem.ts'
import type { Paint } from './paint.ts'

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

import type { Command } from 'commander'
import { loadConfig, type LoadResult, type Problem, readSchema } from '../../config/index.ts'
import { describeTarget, type TargetModel } from '../../model/index.ts'
import { asksForLists } from '../../rules/fit/asks-for-lists.ts'
import { CliExit } from '../cli-error.ts'
import { type CliIo, type GlobalOptions, paintFor, printJson, printLine } from '../cli-io.ts'
import { countOf } from '../../admin/contract.ts'
import { shorten } from '../format-problem.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { printProblems, requireConfig } from '../accept-config.ts'
import { withProgress } from '../progress.ts'
import { formatTable } from '../table.ts'

interface CheckOptions extends GlobalOptions {
  readonly strict?: boolean
  readonly schema?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('check')
    .argument('[file]', 'configuration to check instead of the one that would be used')
    .description(
      'Says what is wrong with a configuration: the line, the reason and the fix. Nothing is started.',
    )
    .option('--strict', 'treat warnings as errors')
    .option('--schema', 'print the JSON Schema of the configuration and do nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry check\n  gantry check team.yaml --strict\n  gantry check --schema > gantry.schema.json',
    )
    .action(async (file: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<CheckOptions>()
      if (options.schema) printJson(io, readSchema())
      else await check(file, options, io)
    })
}

async function check(asked: string | undefined, options: CheckOptions, io: CliIo): Promise<void> {
  const file = requireConfig(io, asked ?? options.config)
  const result = await withProgress(
    io,
    'Reading the configuration',
    async () => compareWithLists(await loadConfig(file, { places: io.places })),
    options,
  )
  const problems = result.ok ? result.warnings : result.problems
  const isGood = result.ok && !(options.strict && problems.length > 0)
  if (options.json) printJson(io, { ok: isGood, file, problems, targets: targetsOf(result) })
  else await print(file, result, io, paintFor(io.stdout, io, options))
  if (!isGood) throw new CliExit(2)
}

const MISFIT = {
  severity: 'error',
  code: 'ineffective-rule',
  file: '',
  line: 1,
  column: 1,
  length: 1,
} as const

const FIXES = {
  rule: 'Correct the condition, or check has(args.…) first where only some of the tools have the field',
  view: 'Write the names as the target has them',
  limit: 'Correct the expression, or check has(args.…) first where only some of the tools have the field',
} as const
const PATHS = {
  rule: (name: string) => `policy.rules (${name})`,
  view: (name: string) => `views.${name}`,
  limit: (name: string) => `limits.rates (${name})`,
} as const

/** What does not fit the lists that a gateway knew last is an error here. */
async function compareWithLists(result: LoadResult): Promise<LoadResult> {
  if (!result.ok || !asksForLists(result.model)) return result
  const { knownLists } = await import('../../state/known-lists.ts')
  const { checkFit } = await import('../../rules/fit/check-fit.ts')
  // A store that cannot be opened says nothing about the configuration.
  const lists = await knownLists(result.model).catch(() => [])
  const problems = (await checkFit(result.model, lists)).map(
    ({ about, name, place, message }): Problem => ({
      ...MISFIT,
      message,
      fix: FIXES[about],
      ...place,
      path: PATHS[about](name),
    }),
  )
  if (problems.length === 0) return result
  return { ...result, ok: false, problems: [...result.warnings, ...problems] }
}

async function print(file: string, result: LoadResult, io: CliIo, paint: Paint): Promise<void> {
  const problems = result.ok ? result.warnings : result.problems
  await printProblems(problems, { file, stream: io.stdout, io, paint })
  if (result.ok) {
    const rows = result.model.targets.map((target) => describe(target, paint))
    for (const line of formatTable(rows)) printLine(io.stdout, `  ${line}`)
  }
  printLine(io.stdout, summarise(shorten(file, io.places.cwd), result, problems, paint))
}

function describe(target: TargetModel, paint: Paint): string[] {
  const off =
    target.disabledReason === undefined
      ? paint.dim('off')
      : paint.yellow(`held back: ${plainText(target.disabledReason)}`)
  const mark = target.enabled ? paint.green('●') : paint.yellow('○')
  return [`${mark} ${plainText(target.name)}`, target.enabled ? plainText(describeTarget(target)) : off]
}

function summarise(name: string, result: LoadResult, problems: readonly Problem[], paint: Paint): string {
  const errors = count(problems, 'error')
  const warnings = count(problems, 'warning')
  const told = [errors, warnings].filter((part) => part !== '').join(', ')
  if (!result.ok) return `${paint.red('✗')} ${name} cannot be used: ${told}`
  return `${paint.green('✓')} ${name} is valid${told === '' ? '' : `: ${told}`}`
}

function count(problems: readonly Problem[], severity: Problem['severity']): string {
  const number = problems.filter((problem) => problem.severity === severity).length
  return number === 0 ? '' : countOf(number, severity)
}

function targetsOf(result: LoadResult): object[] {
  if (!result.ok) return []
  return result.model.targets.map((target) => ({
    name: target.name,
    kind: target.kind,
    enabled: target.enabled,
    disabledReason: target.disabledReason,
    what: describeTarget(target),
  }))
}

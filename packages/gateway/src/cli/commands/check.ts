import type { Command } from 'commander'
import { loadConfig, type LoadResult, type Problem, readSchema } from '../../config/index.ts'
import { describeTarget, type TargetModel } from '../../model/index.ts'
import { asksForLists } from '../../rules/fit/asks-for-lists.ts'
import { action, type Cli } from '../cli.ts'
import { CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { countOf } from '../../admin/contract.ts'
import { shorten } from '../format-problem.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { printProblems, requireConfig } from '../accept-config.ts'
import { formatTable } from '../table.ts'

interface CheckOptions extends GlobalOptions {
  readonly strict?: boolean
  readonly schema?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('check')
    .argument('[file]', 'the configuration to check; by default the configuration that would be used')
    .description(
      'Says what is wrong with a configuration: the line, the reason and the fix. Nothing is started.',
    )
    .option('--strict', 'treat warnings as errors')
    .option('--schema', 'print the JSON Schema of the configuration and do nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry check\n  gantry check team.yaml --strict\n  gantry check --schema > gantry.schema.json',
    )
    .action(action(io, check))
}

async function check(asked: string | undefined, cli: Cli<CheckOptions>): Promise<void> {
  if (cli.options.schema) return cli.printJson(readSchema())
  const file = requireConfig(cli.io, asked ?? cli.options.config)
  const result = await cli.progress('Reading the configuration', async () =>
    compareWithLists(await loadConfig(file, { places: cli.io.places })),
  )
  const problems = result.ok ? result.warnings : result.problems
  const isGood = result.ok && !(cli.options.strict && problems.length > 0)
  if (cli.json) cli.printJson({ ok: isGood, file, problems, targets: targetsOf(result) })
  else await print(file, result, cli)
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

/** Adds errors for rules, views and limits that do not fit the last-known lists. */
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

async function print(file: string, result: LoadResult, cli: Cli): Promise<void> {
  const { paint } = cli
  const problems = result.ok ? result.warnings : result.problems
  await printProblems(problems, cli, { file, stream: cli.io.stdout })
  if (result.ok) {
    const rows = result.model.targets.map((target) => describe(target, paint))
    for (const line of formatTable(rows)) cli.say(`  ${line}`)
  }
  cli.say(summarise(shorten(file, cli.io.places.cwd), result, problems, paint))
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

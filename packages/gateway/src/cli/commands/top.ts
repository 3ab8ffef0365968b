import { type Command, Option } from 'commander'
import type { ToolFigures, UsagePer, UsageRange } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import { plainText } from '../plain-text.ts'

const ORDERS: Readonly<Record<string, (figures: ToolFigures) => number>> = {
  calls: ({ calls }) => calls,
  errors: ({ errors }) => errors,
  p95: ({ p95 }) => p95,
  bytes: ({ bytesOut }) => bytesOut,
  last: ({ lastAt }) => lastAt,
}
const RANGES: readonly UsageRange[] = ['1h', '24h', '7d']
const PARTS: readonly UsagePer[] = ['tool', 'client', 'principal']

interface TopOptions extends GlobalOptions {
  readonly by: string
  readonly range: UsageRange
  readonly per: UsagePer
  readonly limit: string
}

export function register(program: Command, io: CliIo): void {
  program
    .command('top')
    .description(
      'Shows the tools that were called in the last hour, day or week: calls, errors, times, sizes.',
    )
    .addOption(new Option('--range <time>', 'the time up to now').choices(RANGES).default('24h'))
    .addOption(
      new Option('--per <caller>', 'what to tell apart beside the tool').choices(PARTS).default('tool'),
    )
    .option('--by <column>', `what comes first: ${Object.keys(ORDERS).join(', ')}`, 'calls')
    .option('--limit <number>', 'how many tools', '20')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry top\n  gantry top --by p95 --limit 5\n  gantry top --range 7d --per principal',
    )
    .action(action(io, top))
}

async function top(cli: Cli<TopOptions>): Promise<void> {
  const order = Object.hasOwn(ORDERS, cli.options.by) ? ORDERS[cli.options.by]! : undefined
  if (!order) {
    throw new CliError(`"${cli.options.by}" is not a column to sort by`, {
      exitCode: 2,
      fix: `Choose one of ${Object.keys(ORDERS).join(', ')}.`,
    })
  }
  const { tools } = await withAdmin(cli, ({ api, isRunning }) => {
    if (isRunning) return api.call('tools', { query: { range: cli.options.range, per: cli.options.per } })
    throw new CliError('No gateway runs, so there is nothing to count', {
      fix: 'Start one with "gantry serve".',
    })
  })
  const first = [...tools].sort((a, b) => order(b) - order(a)).slice(0, Number(cli.options.limit) || 20)
  if (cli.json) return cli.printJson({ tools: first })
  const { paint } = cli
  const callers = cli.options.per === 'tool' ? [] : [cli.options.per]
  const figures = ['calls', 'errors', 'p50', 'p95', 'bytes', '≈ tokens in', '≈ tokens out', 'last used']
  const heading = ['tool', 'target', ...callers, ...figures]
  const rows = first.map((one) => [
    plainText(one.name ?? '(others)'),
    plainText(one.target),
    ...callers.map(() => plainText(one.client ?? one.principal ?? '(unknown)')),
    String(one.calls),
    one.errors === 0 ? '0' : paint.red(String(one.errors)),
    `${one.p50} ms`,
    `${one.p95} ms`,
    String(one.bytesOut),
    String(one.tokensIn),
    String(one.tokensOut),
    new Date(one.lastAt).toISOString().slice(0, 19),
  ])
  cli.table([heading.map(paint.dim), ...rows])
  if (rows.length === 0) cli.note('No tool was called in this time')
}

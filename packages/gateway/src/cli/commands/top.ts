import { type Command, Option } from 'commander'
import type { ToolFigures, UsagePer, UsageRange } from '../../admin/contract.ts'
import { CliError } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import { plainText } from '../plain-text.ts'
import { formatTable } from '../table.ts'

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
    .action((_: unknown, self: Command) => top(self.optsWithGlobals<TopOptions>(), io))
}

async function top(options: TopOptions, io: CliIo): Promise<void> {
  const order = Object.hasOwn(ORDERS, options.by) ? ORDERS[options.by]! : undefined
  if (!order) {
    throw new CliError(`"${options.by}" is no column to sort by`, {
      exitCode: 2,
      fix: `Choose one of ${Object.keys(ORDERS).join(', ')}.`,
    })
  }
  const { tools } = await withAdmin(io, options, ({ api, isRunning }) => {
    if (isRunning) return api.call('tools', { query: { range: options.range, per: options.per } })
    throw new CliError('No gateway runs, so there is nothing to count', {
      fix: 'Start one with "gantry serve".',
    })
  })
  const first = [...tools].sort((a, b) => order(b) - order(a)).slice(0, Number(options.limit) || 20)
  if (options.json) return printJson(io, { tools: first })
  const paint = paintFor(io.stdout, io, options)
  const callers = options.per === 'tool' ? [] : [options.per]
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
  for (const line of formatTable([heading.map(paint.dim), ...rows])) printLine(io.stdout, line)
  if (rows.length === 0) printLine(io.stderr, 'No tool was called in this time')
}

import type { Command } from 'commander'
import type { ToolFigures } from '../../admin/contract.ts'
import { CliError } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import { plainText } from '../plain-text.ts'
import { formatTable } from '../table.ts'

const ORDERS: Readonly<Record<string, (figures: ToolFigures) => number>> = {
  calls: ({ calls }) => calls,
  errors: ({ errors }) => errors,
  p95: ({ p95 }) => p95,
  bytes: ({ bytes }) => bytes,
  last: ({ lastAt }) => lastAt,
}
/** JSON has about so many bytes for each token of a model. */
const BYTES_PER_TOKEN = 3.6

interface TopOptions extends GlobalOptions {
  readonly by: string
  readonly limit: string
}

export function register(program: Command, io: CliIo): void {
  program
    .command('top')
    .description(
      'Shows the tools that were called since the running gateway was started: calls, errors, times, sizes.',
    )
    .option('--by <column>', `what comes first: ${Object.keys(ORDERS).join(', ')}`, 'calls')
    .option('--limit <number>', 'how many tools', '20')
    .addHelpText('after', '\nExamples:\n  gantry top\n  gantry top --by p95 --limit 5')
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
    if (isRunning) return api.call('tools', {})
    throw new CliError('No gateway runs, so there is nothing to count', {
      fix: 'Start one with "gantry serve".',
    })
  })
  const first = [...tools].sort((a, b) => order(b) - order(a)).slice(0, Number(options.limit) || 20)
  if (options.json) return printJson(io, { tools: first })
  const paint = paintFor(io.stdout, io, options)
  const heading = ['tool', 'target', 'calls', 'errors', 'p50', 'p95', 'bytes', '≈ tokens', 'last used']
  const rows = first.map((one) => [
    plainText(one.name),
    plainText(one.target),
    String(one.calls),
    one.errors === 0 ? '0' : paint.red(String(one.errors)),
    `${one.p50} ms`,
    `${one.p95} ms`,
    String(one.bytes),
    String(Math.ceil(one.bytes / BYTES_PER_TOKEN)),
    new Date(one.lastAt).toISOString().slice(0, 19),
  ])
  for (const line of formatTable([heading.map(paint.dim), ...rows])) printLine(io.stdout, line)
  if (rows.length === 0) printLine(io.stderr, 'No tool was called yet')
}

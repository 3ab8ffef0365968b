import type { Command } from 'commander'
import type { Cause, WhyReport } from '../../admin/contract.ts'
import { CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { withProgress } from '../progress.ts'

interface WhyOptions extends GlobalOptions {
  readonly as?: string
  readonly issuer?: string
}

export function register(program: Command, io: CliIo): void {
  program
    .command('why')
    .argument(
      '<name>',
      'a tool, prompt or resource – as clients call it, or as its server does – or a target',
    )
    .description(
      'Says why something is missing, slow, denied, renamed or stale: the chain of causes, and the fix.',
    )
    .option('--as <caller>', 'as this caller would see it: key:NAME, person:SUBJECT or workload:SUBJECT')
    .option('--issuer <url>', 'whose tokens that person or workload has (default: the configured issuer)')
    .addHelpText(
      'after',
      '\nExit codes: 0 it is there, 1 it is missing.\n\nExamples:\n  gantry why github_create_issue\n  gantry why files/read --as key:app',
    )
    .action((name: string, _: unknown, self: Command) => why(name, self.optsWithGlobals<WhyOptions>(), io))
}

async function why(name: string, options: WhyOptions, io: CliIo): Promise<void> {
  const report = await withAdmin(io, options, ({ api }) =>
    withProgress(
      io,
      'Asking the targets',
      async () => {
        await api.call('catalog', { query: { refresh: true } })
        return api.call('why', {
          query: {
            name,
            ...(options.as !== undefined && { as: options.as }),
            ...(options.issuer !== undefined && { issuer: options.issuer }),
          },
        })
      },
      options,
    ),
  )
  if (options.json) printJson(io, report)
  else print(report, paintFor(io.stdout, io, options), io)
  if (report.verdict === 'missing') throw new CliExit(1)
}

function print({ verdict, summary, chain, similar }: WhyReport, paint: Paint, io: CliIo): void {
  const colour = verdict === 'available' ? paint.green : verdict === 'degraded' ? paint.yellow : paint.red
  printLine(io.stdout, `${colour(verdict)} ${paint.bold(plainText(summary))}\n`)
  for (const cause of chain) printCause(cause, paint, io)
  if (similar.length > 0) {
    printLine(io.stdout, `\nSimilar: ${similar.map(({ key }) => plainText(key)).join(', ')}`)
  }
}

function printCause({ status, title, detail, fix, stderr }: Cause, paint: Paint, io: CliIo): void {
  const mark = status === 'ok' ? paint.green('✓') : status === 'note' ? paint.yellow('•') : paint.red('✗')
  printLine(io.stdout, `${mark} ${plainText(title)}`)
  if (detail !== undefined) printLine(io.stdout, `  ${plainText(detail, ' '.repeat(6))}`)
  if (status !== 'ok')
    for (const line of stderr ?? []) printLine(io.stdout, paint.dim(`  │ ${plainText(line)}`))
  if (fix !== undefined && status !== 'ok') printLine(io.stdout, `  ${paint.cyan('fix')} ${plainText(fix)}`)
}

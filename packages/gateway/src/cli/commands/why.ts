import type { Command } from 'commander'
import type { Cause, RuleReport, WhyReport } from '../../admin/contract.ts'
import { CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { withProgress } from '../progress.ts'

interface WhyOptions extends GlobalOptions {
  readonly as?: string
  readonly issuer?: string
  readonly claims?: string
  readonly args?: string
  readonly all?: boolean
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
    .option('--claims <json>', 'claims in its token, such as \'{"groups": ["support"]}\'')
    .option('--args <json>', 'for a call with these arguments: what each rule of the policy says of it')
    .option('--all', 'show also the rules that are about something else')
    .addHelpText(
      'after',
      '\nExit codes: 0 it is there, 1 it is missing or denied.\n\nExamples:\n  gantry why github_create_issue\n  gantry why files/read --as key:app\n  gantry why payments_refund --as person:ann --claims \'{"groups": ["support"]}\' --args \'{"amount": 900}\'',
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
            ...(options.claims !== undefined && { claims: options.claims }),
            ...(options.args !== undefined && { args: options.args }),
          },
        })
      },
      options,
    ),
  )
  if (options.json) printJson(io, report)
  else {
    const paint = paintFor(io.stdout, io, options)
    print(report, paint, io)
    printRules(report.rules ?? [], options.all === true, paint, io)
  }
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

const MARKS = {
  allows: '✓',
  'wants approval': '•',
  'wants confirmation': '•',
  denies: '✗',
  fails: '✗',
  depends: '?',
  'does not hold': '·',
  other: '·',
} as const

/** What each rule says, and why it cannot say anything. */
function printRules(rules: readonly RuleReport[], all: boolean, paint: Paint, io: CliIo): void {
  const shown = rules.filter(({ says }) => all || says !== 'other')
  if (shown.length === 0) return
  printLine(io.stdout, '\nRules:')
  for (const { rule, says, decides, mode, when, failure, message } of shown) {
    const colour =
      says === 'allows' ? paint.green : says === 'denies' || says === 'fails' ? paint.red : paint.dim
    const notes = [decides ? 'decides' : '', mode === 'audit' ? 'only tried out' : ''].filter(
      (one) => one !== '',
    )
    const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
    printLine(io.stdout, `${colour(MARKS[says])} ${plainText(rule)}: ${WORDS[says]}${note}`)
    if (when !== undefined) printLine(io.stdout, paint.dim(`  when ${plainText(when, ' '.repeat(7))}`))
    if (failure !== undefined) printLine(io.stdout, `  ${plainText(failure)}`)
    if (message !== undefined) printLine(io.stdout, paint.dim(`  callers are told: ${plainText(message)}`))
  }
}

const WORDS = {
  allows: 'allows it',
  'wants approval': 'lets it wait for the approval of another person',
  'wants confirmation': 'lets the caller confirm it first',
  denies: 'denies it',
  fails: 'fails, and so denies it',
  depends: 'depends on the call',
  'does not hold': 'does not hold',
  other: 'is about something else',
} as const

function printCause({ status, title, detail, fix, stderr }: Cause, paint: Paint, io: CliIo): void {
  const mark = status === 'ok' ? paint.green('✓') : status === 'note' ? paint.yellow('•') : paint.red('✗')
  printLine(io.stdout, `${mark} ${plainText(title)}`)
  if (detail !== undefined) printLine(io.stdout, `  ${plainText(detail, ' '.repeat(6))}`)
  if (status !== 'ok')
    for (const line of stderr ?? []) printLine(io.stdout, paint.dim(`  │ ${plainText(line)}`))
  if (fix !== undefined && status !== 'ok') printLine(io.stdout, `  ${paint.cyan('fix')} ${plainText(fix)}`)
}

import type { Command } from 'commander'
import type { Cause, RuleReport, WhyReport } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import { plainText } from '../plain-text.ts'

interface WhyOptions extends GlobalOptions {
  readonly as?: string
  readonly issuer?: string
  readonly claims?: string
  readonly args?: string
  readonly view?: string
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
    .option('--view <name>', 'at the endpoint of this view')
    .option('--all', 'show also the rules that are about something else')
    .addHelpText(
      'after',
      '\nExit codes: 0 it is there, 1 it is missing or denied.\n\nExamples:\n  gantry why github_create_issue\n  gantry why files/read --as key:app\n  gantry why payments_refund --as person:ann --claims \'{"groups": ["support"]}\' --args \'{"amount": 900}\'',
    )
    .action(action(io, why))
}

async function why(name: string, cli: Cli<WhyOptions>): Promise<void> {
  const report = await withAdmin(cli, ({ api }) =>
    cli.progress('Asking the targets', async () => {
      await api.call('catalog', { query: { refresh: true } })
      return api.call('why', {
        query: {
          name,
          ...(cli.options.as !== undefined && { as: cli.options.as }),
          ...(cli.options.issuer !== undefined && { issuer: cli.options.issuer }),
          ...(cli.options.claims !== undefined && { claims: cli.options.claims }),
          ...(cli.options.args !== undefined && { args: cli.options.args }),
          ...(cli.options.view !== undefined && { view: cli.options.view }),
        },
      })
    }),
  )
  if (cli.json) cli.printJson(report)
  else {
    print(report, cli)
    printRules(report.rules ?? [], cli.options.all === true, cli)
  }
  if (report.verdict === 'missing') throw new CliExit(1)
}

function print({ verdict, summary, chain, similar }: WhyReport, cli: Cli): void {
  const { paint } = cli
  const colour = verdict === 'available' ? paint.green : verdict === 'degraded' ? paint.yellow : paint.red
  cli.say(`${colour(verdict)} ${paint.bold(plainText(summary))}\n`)
  for (const cause of chain) printCause(cause, cli)
  if (similar.length > 0) {
    cli.say(`\nSimilar: ${similar.map(({ key }) => plainText(key)).join(', ')}`)
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

/** Prints the verdict of each rule, and the reason when it has none. */
function printRules(rules: readonly RuleReport[], all: boolean, cli: Cli): void {
  const { paint } = cli
  const shown = rules.filter(({ says }) => all || says !== 'other')
  if (shown.length === 0) return
  cli.say('\nRules:')
  for (const { rule, says, decides, mode, when, failure, message } of shown) {
    const colour =
      says === 'allows' ? paint.green : says === 'denies' || says === 'fails' ? paint.red : paint.dim
    const notes = [decides ? 'decides' : '', mode === 'audit' ? 'only tried out' : ''].filter(
      (one) => one !== '',
    )
    const note = notes.length > 0 ? ` (${notes.join(', ')})` : ''
    cli.say(`${colour(MARKS[says])} ${plainText(rule)}: ${WORDS[says]}${note}`)
    if (when !== undefined) cli.say(paint.dim(`  when ${plainText(when, ' '.repeat(7))}`))
    if (failure !== undefined) cli.say(`  ${plainText(failure)}`)
    if (message !== undefined) cli.say(paint.dim(`  callers are told: ${plainText(message)}`))
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

function printCause({ status, title, detail, fix, stderr }: Cause, cli: Cli): void {
  const { paint } = cli
  const mark = status === 'ok' ? paint.green('✓') : status === 'note' ? paint.yellow('•') : paint.red('✗')
  cli.say(`${mark} ${plainText(title)}`)
  if (detail !== undefined) cli.say(`  ${plainText(detail, ' '.repeat(6))}`)
  if (status !== 'ok') for (const line of stderr ?? []) cli.say(paint.dim(`  │ ${plainText(line)}`))
  if (fix !== undefined && status !== 'ok') cli.say(`  ${paint.cyan('fix')} ${plainText(fix)}`)
}

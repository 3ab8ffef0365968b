import { basename } from 'node:path'
import { parseUrl } from '@gantry/mcp/foreign'
import type { Command } from 'commander'
import type { AdminApi, HandshakeStep, StartTrial, TrialCall, TrialReport } from '../../admin/contract.ts'
import { Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import { oneLine, plainText } from '../plain-text.ts'
import { readArguments } from '../requests/read-arguments.ts'
import { repairFor } from '../repair.ts'
import { registerLogin } from './doctor-login.ts'
import { afterDashes, collect } from '../requests/request-flags.ts'

interface DoctorOptions extends GlobalOptions {
  readonly call?: string
  readonly arg?: string[]
  readonly messages?: boolean
  readonly fix?: boolean
}

/**
 * How long one request for the state of a trial waits. The trial itself ends by the limits of the target, as an
 * installation may take minutes.
 */
const WAIT = 10_000
/** How often one target is repaired in a row. */
const MOST_REPAIRS = 10

export function register(program: Command, io: CliIo): void {
  const command = program.command('doctor')
  command
    .argument(
      '[target...]',
      'only these; all of them otherwise. Also a URL, or after -- the command of a server that is in no configuration',
    )
    .description(
      'Walks through the start of each target on a connection of its own – spawn or connect, probe, initialize, response, initialized, list – and says which step failed, what came back, what it means and what to do.',
    )
    .option('--call <tool>', 'also call this tool, by its own name')
    .option('-a, --arg <name=value>', 'an argument of that call; may be repeated', collect)
    .option('--messages', 'show what crossed the wire in each step')
    .option(
      '--fix',
      'repair what can be repaired, and look again: a package that npx or uvx installed in part. Asks first; --yes does not',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 all is well, 1 something is wrong.\n\nExamples:\n  gantry doctor\n  gantry doctor github --messages\n  gantry doctor https://mcp.example.com/mcp\n  gantry doctor -- npx -y some-server --flag\n  gantry doctor files --call read_file --arg path=README.md',
    )
    .action((words: string[], _: unknown, self: Command) => {
      const command = afterDashes(self)
      const names = words.slice(0, words.length - command.length)
      return doctor(names, command, new Cli(self.optsWithGlobals<DoctorOptions>(), io))
    })
  registerLogin(command, io)
}

async function doctor(
  words: readonly string[],
  command: readonly string[],
  cli: Cli<DoctorOptions>,
): Promise<void> {
  if (words.length > 0 && command.length > 0) {
    throw new CliError('Either targets or a command', { exitCode: 2, fix: 'gantry doctor -- COMMAND' })
  }
  const stranger = strangerOf(words, command, cli.io)
  if (cli.options.call !== undefined && words.length === 0 && !stranger) {
    throw new CliError('--call needs a target', { exitCode: 2, fix: 'gantry doctor TARGET --call TOOL' })
  }
  const call = cli.options.call === undefined ? undefined : await trialCall(cli.options.call, cli)
  const reports = await withAdmin(
    cli,
    async ({ api }) => {
      const names = words.length === 0 ? await enabledTargets(api) : words
      const subjects = stranger ? [stranger] : names.map((name) => ({ name, trial: { target: name } }))
      if (call && subjects.length > 1) throw new CliError('--call takes one target', { exitCode: 2 })
      const label =
        subjects.length === 1
          ? `Looking over ${subjects[0]!.name}`
          : `Looking over ${subjects.length} targets`
      const reports = await cli.progress(label, (update) => examineAll(api, subjects, call, update))
      if (!cli.options.fix) return reports
      for (const at of reports.keys()) {
        // With the first damage out of the way, a launcher may meet the next.
        for (let repairs = 0; repairs < MOST_REPAIRS && !isWell(reports[at]!); repairs++) {
          if (!(await repairFor(reports[at]!, cli))) break
          reports[at] = await examine(api, subjects[at]!, call)
        }
      }
      return reports
    },
    { alone: stranger !== undefined },
  )
  if (cli.json) cli.printJson({ ok: reports.every(isWell), targets: reports })
  else print(reports, cli)
  if (!reports.every(isWell)) throw new CliExit(1)
}

interface Subject {
  readonly name: string
  readonly trial: Exclude<StartTrial, { text: string }>
}

/** A server that is in no configuration: a URL, or a command with its arguments after `--`. */
function strangerOf(words: readonly string[], command: readonly string[], io: CliIo): Subject | undefined {
  const [program, ...args] = command
  if (program !== undefined) {
    const entry = { command: program, args, cwd: io.places.cwd }
    return { name: command.join(' '), trial: { name: basename(program), entry } }
  }
  const [url, ...more] = words
  if (url === undefined || more.length > 0 || !/^https?:\/\//i.test(url)) return undefined
  return { name: url, trial: { name: parseUrl(url)?.host ?? url, entry: { url } } }
}

async function trialCall(tool: string, cli: Cli<DoctorOptions>): Promise<TrialCall> {
  return {
    tool,
    arguments: await readArguments(
      { json: undefined, pairs: cli.options.arg ?? [], schema: undefined },
      cli.io,
    ),
  }
}

async function enabledTargets(api: AdminApi): Promise<string[]> {
  const { targets } = await api.call('targets', {})
  return targets.filter(({ problem }) => problem?.code !== 'disabled').map(({ name }) => name)
}

/** A few at a time: starting fifty programs at once would make every one of them slow. */
async function examineAll(
  api: AdminApi,
  subjects: readonly Subject[],
  call: TrialCall | undefined,
  update: (label: string) => void,
): Promise<TrialReport[]> {
  const reports = new Map<Subject, TrialReport>()
  const waiting = [...subjects]
  const work = async (): Promise<void> => {
    for (let subject = waiting.shift(); subject !== undefined; subject = waiting.shift()) {
      reports.set(subject, await examine(api, subject, call))
      if (subjects.length > 1) update(`Looking over targets: ${reports.size} of ${subjects.length}`)
    }
  }
  await Promise.all(Array.from({ length: Math.min(4, subjects.length) }, work))
  return subjects.map((subject) => reports.get(subject)!)
}

async function examine(api: AdminApi, { trial }: Subject, call: TrialCall | undefined): Promise<TrialReport> {
  const { trials, refused } = await api.call('startTrial', { body: { ...trial, ...(call && { call }) } })
  const [started] = trials
  if (!started) throw new CliError(refused[0]?.problem.what ?? 'Nothing could be tried', { exitCode: 2 })
  for (;;) {
    const report = await api.call('trial', { params: { id: started.id }, query: { wait: WAIT } })
    if (report.status !== 'running') return report
  }
}

function isWell({ status }: TrialReport): boolean {
  return status === 'ok'
}

function print(reports: readonly TrialReport[], cli: Cli<DoctorOptions>): void {
  const { paint } = cli
  if (reports.length === 0) cli.say('There are no targets. Add one, or run: gantry import')
  for (const report of reports) {
    const mark = isWell(report) ? paint.green('✓') : paint.red('✗')
    cli.say(
      `${mark} ${paint.bold(plainText(report.name))}  ${paint.dim(oneLine(report.understoodAs.what, 90))}`,
    )
    for (const step of report.steps) if (step.status !== 'skipped') printStep(step, cli)
    printOutcome(report, cli)
    cli.say()
  }
}

const MARKS: Readonly<Record<HandshakeStep['status'], string>> = {
  done: '✓',
  failed: '✗',
  running: '…',
  pending: '·',
  skipped: '-',
}

function printStep(step: HandshakeStep, cli: Cli<DoctorOptions>): void {
  const { paint } = cli
  const colour = step.status === 'done' ? paint.green : step.status === 'failed' ? paint.red : paint.dim
  const time = step.duration === undefined ? '' : paint.dim(`${step.duration} ms`)
  const detail = step.status === 'pending' ? 'not reached' : (step.detail ?? '')
  cli.say(
    `  ${colour(MARKS[step.status])} ${step.name.padEnd(12)} ${time.padEnd(8)} ${paint.dim(oneLine(detail, 90))}`.trimEnd(),
  )
  if (!cli.options.messages) return
  for (const { direction, message } of step.messages) {
    const arrow = direction === 'out' ? '→' : '←'
    cli.say(paint.dim(`      ${arrow} ${oneLine(JSON.stringify(message), 2000)}`))
  }
}

function printOutcome({ problem, warnings, found, stderr }: TrialReport, cli: Cli): void {
  const { paint } = cli
  if (problem) {
    cli.say(`  ${paint.red('what')}    ${plainText(problem.what, BELOW)}`)
    if (problem.meaning !== undefined)
      cli.say(`  ${paint.yellow('means')}   ${plainText(problem.meaning, BELOW)}`)
    if (problem.fix !== undefined) cli.say(`  ${paint.cyan('fix')}     ${plainText(problem.fix, BELOW)}`)
    for (const { text } of lastWords(stderr)) cli.say(paint.dim(`  stderr  ${plainText(text)}`))
  }
  for (const { what, fix } of warnings) {
    cli.say(`  ${paint.yellow('warning')} ${plainText(what, BELOW)}`)
    if (fix !== undefined) cli.say(`  ${paint.cyan('fix')}     ${plainText(fix, BELOW)}`)
  }
  if (!found) return
  cli.say(paint.dim(plainText(`  ${found.era} ${found.revision} over ${found.transport}`)))
  if (found.eras !== undefined) cli.say(paint.dim(`  ${found.eras}`))
}

/** The indent of further lines of a text. */
const BELOW = ' '.repeat(10)
const STDERR_LINES = 10

/** The last lines, or the last error from its beginning: the head of a stack says more than its end. */
function lastWords(lines: TrialReport['stderr']): TrialReport['stderr'] {
  const head = lines.findLastIndex(({ text }) => /^[\w.]*(Error|Exception)\b/.test(text))
  return head < 0 ? lines.slice(-STDERR_LINES) : lines.slice(head, head + STDERR_LINES)
}

import type { Command } from 'commander'
import { writeJson } from '@gantry/mcp/exchange'
import type { AdminApi, ApprovalReport } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'

interface DecideOptions extends GlobalOptions {
  readonly reason?: string
}

export function register(program: Command, io: CliIo): void {
  const approvals = program
    .command('approvals')
    .description('Works with the calls that wait for the approval of another person.')
  approvals
    .command('list', { isDefault: true })
    .description('Lists the calls that wait, or were decided and not made yet.')
    .addHelpText('after', '\nExamples:\n  gantry approvals list\n  gantry approvals list --json')
    .action(action(io, list))
  approvals
    .command('show')
    .argument('<id>', 'its id, or the beginning of it')
    .description('Shows a call with its arguments.')
    .action(action(io, show))
  for (const [name, approved] of [['approve', true] as const, ['deny', false] as const]) {
    approvals
      .command(name)
      .argument('<id>', 'its id, or the beginning of it')
      .description(approved ? 'Lets the call be made, once.' : 'Keeps the call from being made.')
      .option('--reason <text>', 'told to the caller')
      .addHelpText('after', `\nExamples:\n  gantry approvals ${name} 3f9a12c0-5d`)
      .action(action(io, (id: string, cli: Cli<DecideOptions>) => decide(id, approved, cli)))
  }
}

const NEEDS = { approver: true }

async function list(cli: Cli): Promise<void> {
  const { approvals } = await withAdmin(cli, ({ api }) => api.call('approvals', {}), NEEDS)
  if (cli.json) return cli.printJson({ approvals })
  const { paint } = cli
  if (approvals.length === 0) return cli.say('No call waits for approval')
  const heading = ['id', 'state', 'caller', 'call', 'approval of', 'time left'].map(paint.dim)
  cli.table([heading, ...approvals.map((one) => row(one, paint))])
}

function row(approval: ApprovalReport, paint: Paint): string[] {
  const { id, state, caller, target, name, needs, expiresAt } = approval
  const by = needs.map((need) => need.by.join(' or ')).join(', and of ')
  return [
    id,
    colour(state, paint)(state),
    plainText(caller ?? 'without credentials'),
    paint.bold(plainText(`${target}/${name}`)),
    plainText(by),
    minutesLeft(expiresAt),
  ]
}

async function show(id: string, cli: Cli): Promise<void> {
  const approval = await withAdmin(cli, ({ api }) => find(api, id), NEEDS)
  if (cli.json) cli.printJson(approval)
  else print(approval, cli)
}

async function decide(id: string, approved: boolean, cli: Cli<DecideOptions>): Promise<void> {
  const { reason } = cli.options
  const decided = await withAdmin(
    cli,
    async ({ api }) => {
      const found = await find(api, id)
      const body = { approved, ...(reason !== undefined && { reason }) }
      return api.call('decideApproval', { params: { id: found.id }, body })
    },
    NEEDS,
  )
  if (cli.json) cli.printJson(decided)
  else print(decided, cli)
}

/** Ids are long: the beginning is enough where it fits one call alone. */
async function find(api: AdminApi, beginning: string): Promise<ApprovalReport> {
  const { approvals } = await api.call('approvals', {})
  const found = approvals.filter(({ id }) => id.startsWith(beginning))
  if (found.length === 1) return found[0]!
  const what = found.length === 0 ? 'No call' : `More than one call`
  throw new CliError(`${what} with an id that begins with "${plainText(beginning)}" waits for approval`, {
    fix: 'List them: gantry approvals list',
  })
}

function print(approval: ApprovalReport, cli: Cli): void {
  const { paint } = cli
  const { id, state, caller, client, view, target, name, args, needs, expiresAt } = approval
  const line = (text: string): void => cli.say(text)
  line(`${colour(state, paint)(state)} ${paint.bold(plainText(`${target}/${name}`))}`)
  line(`  id         ${id}`)
  line(
    `  caller     ${plainText(caller ?? 'without credentials')}${client === undefined ? '' : ` with ${plainText(client)}`}`,
  )
  if (view !== undefined) line(`  view       ${plainText(view)}`)
  line(`  arguments  ${args ? plainText(writeJson(args)) : 'withheld'}`)
  for (const { rule, by, message, decision } of needs) {
    line(`  rule       ${plainText(rule)}: approval of ${plainText(by.join(' or '))}`)
    if (message !== undefined) line(`             ${plainText(message)}`)
    if (!decision) continue
    const verb = decision.approved ? 'approved' : 'denied'
    const because = decision.reason === undefined ? '' : `: ${plainText(decision.reason)}`
    line(`             ${verb} by ${plainText(decision.by)}${because}`)
  }
  line(`  time left  ${minutesLeft(expiresAt)}`)
}

function colour(state: ApprovalReport['state'], paint: Paint): Paint['green'] {
  if (state === 'pending') return paint.yellow
  return state === 'approved' ? paint.green : paint.red
}

function minutesLeft(expiresAt: number): string {
  const seconds = Math.max(0, Math.round((expiresAt - Date.now()) / 1000))
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

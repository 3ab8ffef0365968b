import type { Command } from 'commander'
import {
  countOf,
  type AdminApi,
  type TargetAction,
  type TargetCard,
  type TargetState,
} from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'

const ACTIONS: readonly string[] = ['start', 'stop', 'restart', 'refresh']
/** The indent of further lines of a text. */
const BELOW = ' '.repeat(6)
const GOOD: ReadonlySet<TargetState> = new Set(['ready', 'idle', 'starting'])

export function register(program: Command, io: CliIo): void {
  program
    .command('targets')
    .argument('[action]', `${ACTIONS.join(', ')} – with a running gateway`)
    .argument('[name]', 'the target to do it to')
    .description('Shows every target: its state, era, what it offers, how fast it is and what it uses.')
    .addHelpText('after', '\nExamples:\n  gantry targets\n  gantry targets restart github')
    .action(
      action(io, (wanted: string | undefined, name: string | undefined, cli: Cli) =>
        wanted === undefined ? list(cli) : act(wanted, name, cli),
      ),
    )
}

async function list(cli: Cli): Promise<void> {
  const { targets } = await withAdmin(cli, async ({ api, isRunning }) => {
    // Without a gateway nothing has been started: how targets are is found out by asking them.
    if (!isRunning) {
      await cli.progress('Starting the targets', () => api.call('catalog', { query: { refresh: true } }))
    }
    return api.call('targets', {})
  })
  if (cli.json) cli.printJson({ targets })
  else print(targets, cli)
  if (targets.some(({ state }) => !GOOD.has(state) && state !== 'disabled')) throw new CliExit(1)
}

function print(targets: readonly TargetCard[], cli: Cli): void {
  const { paint } = cli
  const rows = targets.map((target) => row(target, paint))
  const heading = ['target', 'state', 'speaks', 'offers', 'calls', 'p95', 'restarts', 'memory'].map(paint.dim)
  cli.table([heading, ...rows])
  for (const { name, problem } of targets) {
    if (!problem || problem.code === 'disabled') continue
    cli.say(`\n${paint.red('✗')} ${paint.bold(plainText(name))}: ${plainText(problem.what, BELOW)}`)
    if (problem.fix !== undefined) cli.say(`  ${paint.cyan('fix')} ${plainText(problem.fix, BELOW)}`)
  }
}

function row(target: TargetCard, paint: Paint): string[] {
  const { counts, stats, usage, state, era, revision, transport } = target
  const colour = GOOD.has(state) ? paint.green : state === 'disabled' ? paint.dim : paint.red
  const offers = [
    countOf(counts.tools, 'tool'),
    counts.prompts && countOf(counts.prompts, 'prompt'),
    counts.resources && countOf(counts.resources, 'resource'),
    counts.templates && countOf(counts.templates, 'template'),
  ]
  return [
    paint.bold(plainText(target.name)),
    colour(state),
    era === undefined ? '' : plainText(`${era} ${revision} ${transport}`),
    offers.filter(Boolean).join(', ') + (target.stale ? paint.yellow(' (stale)') : ''),
    `${stats.calls}${stats.errors > 0 ? paint.red(` (${stats.errors} failed)`) : ''}`,
    stats.p95 === undefined ? '' : `${Math.round(stats.p95)} ms`,
    target.restarts === 0 ? '' : String(target.restarts),
    usage === undefined ? '' : `${Math.round(usage.rss / 1024 / 1024)} MB`,
  ]
}

async function act(action: string, name: string | undefined, cli: Cli): Promise<void> {
  if (!ACTIONS.includes(action)) {
    throw new CliError(`"${action}" is not an action for a target`, {
      exitCode: 2,
      fix: `Actions: ${ACTIONS.join(', ')}.`,
    })
  }
  if (name === undefined)
    throw new CliError(`${action} which target?`, { exitCode: 2, fix: 'Name it: gantry targets' })
  const card = await withAdmin(cli, async ({ api, isRunning }) => {
    if (!isRunning) throw new CliError('No gateway is running', { fix: 'Start it: gantry serve' })
    return cli.progress(`${action} ${name}`, () => send(api, name, action as TargetAction['action']))
  })
  if (cli.json) cli.printJson(card)
  else print([card], cli)
  if (action !== 'stop' && !GOOD.has(card.state)) throw new CliExit(1)
}

function send(api: AdminApi, name: string, action: TargetAction['action']): Promise<TargetCard> {
  return api.call('targetAction', { params: { name }, body: { action } })
}

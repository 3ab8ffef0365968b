import type { Command } from 'commander'
import {
  countOf,
  type AdminApi,
  type TargetAction,
  type TargetCard,
  type TargetState,
} from '../../admin/contract.ts'
import { CliError, CliExit } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { withProgress } from '../progress.ts'
import { formatTable } from '../table.ts'

const ACTIONS: readonly string[] = ['start', 'stop', 'restart', 'refresh']
/** Under the first line of what is said. */
const BELOW = ' '.repeat(6)
const GOOD: ReadonlySet<TargetState> = new Set(['ready', 'idle', 'starting'])

export function register(program: Command, io: CliIo): void {
  program
    .command('targets')
    .argument('[action]', `${ACTIONS.join(', ')} – with a running gateway`)
    .argument('[name]', 'the target to do it to')
    .description('Shows every target: its state, era, what it offers, how fast it is and what it uses.')
    .addHelpText('after', '\nExamples:\n  gantry targets\n  gantry targets restart github')
    .action((action: string | undefined, name: string | undefined, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<GlobalOptions>()
      return action === undefined ? list(options, io) : act(action, name, options, io)
    })
}

async function list(options: GlobalOptions, io: CliIo): Promise<void> {
  const { targets } = await withAdmin(io, options, async ({ api, isRunning }) => {
    // Without a gateway nothing has been started: how targets are is found out by asking them.
    if (!isRunning) {
      await withProgress(
        io,
        'Starting the targets',
        () => api.call('catalog', { query: { refresh: true } }),
        options,
      )
    }
    return api.call('targets', {})
  })
  if (options.json) printJson(io, { targets })
  else print(targets, options, io)
  if (targets.some(({ state }) => !GOOD.has(state) && state !== 'disabled')) throw new CliExit(1)
}

function print(targets: readonly TargetCard[], options: GlobalOptions, io: CliIo): void {
  const paint = paintFor(io.stdout, io, options)
  const rows = targets.map((target) => row(target, paint))
  const heading = ['target', 'state', 'speaks', 'offers', 'calls', 'p95', 'restarts', 'memory'].map(paint.dim)
  for (const line of formatTable([heading, ...rows])) printLine(io.stdout, line)
  for (const { name, problem } of targets) {
    if (!problem || problem.code === 'disabled') continue
    printLine(
      io.stdout,
      `\n${paint.red('✗')} ${paint.bold(plainText(name))}: ${plainText(problem.what, BELOW)}`,
    )
    if (problem.fix !== undefined)
      printLine(io.stdout, `  ${paint.cyan('fix')} ${plainText(problem.fix, BELOW)}`)
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

async function act(
  action: string,
  name: string | undefined,
  options: GlobalOptions,
  io: CliIo,
): Promise<void> {
  if (!ACTIONS.includes(action)) {
    throw new CliError(`"${action}" is nothing that can be done to a target`, {
      exitCode: 2,
      fix: `Actions: ${ACTIONS.join(', ')}.`,
    })
  }
  if (name === undefined)
    throw new CliError(`${action} which target?`, { exitCode: 2, fix: 'Name it: gantry targets' })
  const card = await withAdmin(io, options, async ({ api, isRunning }) => {
    if (!isRunning) throw new CliError('No gateway is running', { fix: 'Start it: gantry serve' })
    return withProgress(
      io,
      `${action} ${name}`,
      () => send(api, name, action as TargetAction['action']),
      options,
    )
  })
  if (options.json) printJson(io, card)
  else print([card], options, io)
  if (action !== 'stop' && !GOOD.has(card.state)) throw new CliExit(1)
}

function send(api: AdminApi, name: string, action: TargetAction['action']): Promise<TargetCard> {
  return api.call('targetAction', { params: { name }, body: { action } })
}

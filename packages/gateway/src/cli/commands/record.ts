import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { countOf, type AdminApi, type RecordingStatus } from '../../admin/contract.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { shorten } from '../format-problem.ts'
import { runGateway, type GatewayOptions } from '../run-gateway.ts'
import { takeSignals } from '../stop-signals.ts'
import { withAdmin } from '../open-admin.ts'
import { planFromFile } from '../load-trusted.ts'

interface RecordOptions extends GatewayOptions {
  readonly force?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('record')
    .argument('<target>', 'the target to record')
    .argument('[file]', 'where to write it (default: TARGET.jsonl)')
    .description(
      'Writes down what clients ask of a target and what it answers, until Ctrl+C. A gateway that runs is recorded as it is; otherwise one is started.',
    )
    .option('-f, --force', 'replace a file that is there')
    .option('-p, --port <number>', 'port of a gateway that is started')
    .option('--stdio', 'start a gateway on standard input and output')
    .addHelpText(
      'after',
      '\nThe file may hold what is secret in arguments and results; only its owner can read it.\n\nExamples:\n  gantry record github\n  gantry record github tests/github.jsonl\n  gantry replay tests/github.jsonl',
    )
    .action(
      action(io, (target: string, file: string | undefined, cli: Cli<RecordOptions>) =>
        record({ target, file: resolve(io.places.cwd, file ?? `${target}.jsonl`) }, cli),
      ),
    )
}

interface Wanted {
  readonly target: string
  readonly file: string
}

async function record(wanted: Wanted, cli: Cli<RecordOptions>): Promise<void> {
  if (existsSync(wanted.file) && !cli.options.force) {
    throw new CliError(`${shorten(wanted.file, cli.io.places.cwd)} is there already`, {
      fix: 'Choose another name, or replace it with --force.',
    })
  }
  const isRunning =
    cli.options.stdio !== true &&
    (await withAdmin(cli, async (admin) => {
      if (admin.isRunning) await recordUntilSignal(admin.api, wanted, cli)
      return admin.isRunning
    }))
  if (!isRunning) await recordOwn(wanted, cli)
}

/** In a gateway that runs, whose clients notice nothing. */
async function recordUntilSignal(api: AdminApi, wanted: Wanted, cli: Cli<RecordOptions>): Promise<void> {
  const signals = takeSignals()
  const stop = await begin(api, wanted, cli)
  cli.note(`Recording ${wanted.target}. Press Ctrl+C to stop.`)
  await cli.progress(`Recording ${wanted.target}`, async (update) => {
    const look = async (): Promise<void> => {
      const { exchanges } = await api.call('recording', { params: { name: wanted.target } })
      update(`Recording ${wanted.target}: ${countOf(exchanges, 'exchange')}`)
    }
    const timer = setInterval(() => void look().catch(() => {}), 500)
    await signals.first.finally(() => clearInterval(timer))
  })
  await stop()
  signals.release()
}

/** In a gateway of this command's own. */
async function recordOwn(wanted: Wanted, cli: Cli<RecordOptions>): Promise<void> {
  const plan = await planFromFile(cli)
  await runGateway({ ...plan, announced: ({ api }) => begin(api, wanted, cli) }, cli)
}

async function begin(
  api: AdminApi,
  { target, file }: Wanted,
  cli: Cli<RecordOptions>,
): Promise<() => Promise<void>> {
  const body = { file, replace: cli.options.force === true }
  await cli
    .progress(`Connecting to ${target}`, () => api.call('startRecording', { params: { name: target }, body }))
    .catch(explain)
  return async () => conclude(await api.call('stopRecording', { params: { name: target } }), cli)
}

function explain(error: unknown): never {
  const { problem } = error as { problem?: { message: string; fix?: string } }
  throw problem ? new CliError(problem.message, { fix: problem.fix, cause: error }) : error
}

function conclude({ file, exchanges }: RecordingStatus, cli: Cli<RecordOptions>): void {
  if (cli.options.stdio) return
  if (cli.json) return cli.printJson({ ok: true, file, exchanges })
  const { paint } = cli
  const name = shorten(file, cli.io.places.cwd)
  cli.say(`${paint.green('✓')} ${name} has ${countOf(exchanges, 'exchange')}.`)
  cli.say(`  gantry replay ${name}   ${paint.dim('serves them as a mock')}`)
}

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { countOf, type AdminApi, type RecordingStatus } from '../../admin/contract.ts'
import { CliError } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo } from '../cli-io.ts'
import { shorten } from '../format-problem.ts'
import { runGateway, type GatewayOptions } from '../run-gateway.ts'
import { takeSignals } from '../stop-signals.ts'
import { withAdmin } from '../open-admin.ts'
import { planFromFile } from '../load-trusted.ts'
import { withProgress } from '../progress.ts'

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
    .action((target: string, file: string | undefined, _: unknown, self: Command) =>
      record({ target, file: resolve(io.places.cwd, file ?? `${target}.jsonl`) }, self.optsWithGlobals(), io),
    )
}

interface Wanted {
  readonly target: string
  readonly file: string
}

async function record(wanted: Wanted, options: RecordOptions, io: CliIo): Promise<void> {
  if (existsSync(wanted.file) && !options.force) {
    throw new CliError(`${shorten(wanted.file, io.places.cwd)} is there already`, {
      fix: 'Choose another name, or replace it with --force.',
    })
  }
  const isRunning =
    options.stdio !== true &&
    (await withAdmin(io, options, async (admin) => {
      if (admin.isRunning) await recordUntilSignal(admin.api, wanted, options, io)
      return admin.isRunning
    }))
  if (!isRunning) await recordOwn(wanted, options, io)
}

/** In a gateway that runs, whose clients notice nothing. */
async function recordUntilSignal(
  api: AdminApi,
  wanted: Wanted,
  options: RecordOptions,
  io: CliIo,
): Promise<void> {
  const signals = takeSignals()
  const stop = await begin(api, wanted, options, io)
  printLine(io.stderr, `Recording ${wanted.target}. Press Ctrl+C to stop.`)
  await withProgress(
    io,
    `Recording ${wanted.target}`,
    async (update) => {
      const look = async (): Promise<void> => {
        const { exchanges } = await api.call('recording', { params: { name: wanted.target } })
        update(`Recording ${wanted.target}: ${countOf(exchanges, 'exchange')}`)
      }
      const timer = setInterval(() => void look().catch(() => {}), 500)
      await signals.first.finally(() => clearInterval(timer))
    },
    options,
  )
  await stop()
  signals.release()
}

/** In a gateway of this command's own. */
async function recordOwn(wanted: Wanted, options: RecordOptions, io: CliIo): Promise<void> {
  const plan = await planFromFile(options, io)
  await runGateway({ ...plan, announced: ({ api }) => begin(api, wanted, options, io) }, options, io)
}

async function begin(
  api: AdminApi,
  { target, file }: Wanted,
  options: RecordOptions,
  io: CliIo,
): Promise<() => Promise<void>> {
  const body = { file, replace: options.force === true }
  await withProgress(
    io,
    `Connecting to ${target}`,
    () => api.call('startRecording', { params: { name: target }, body }),
    options,
  ).catch(explain)
  return async () => conclude(await api.call('stopRecording', { params: { name: target } }), options, io)
}

function explain(error: unknown): never {
  const { problem } = error as { problem?: { message: string; fix?: string } }
  throw problem ? new CliError(problem.message, { fix: problem.fix, cause: error }) : error
}

function conclude({ file, exchanges }: RecordingStatus, options: RecordOptions, io: CliIo): void {
  if (options.stdio) return
  if (options.json) return printJson(io, { ok: true, file, exchanges })
  const paint = paintFor(io.stdout, io, options)
  const name = shorten(file, io.places.cwd)
  printLine(io.stdout, `${paint.green('✓')} ${name} has ${countOf(exchanges, 'exchange')}.`)
  printLine(io.stdout, `  gantry replay ${name}   ${paint.dim('serves them as a mock')}`)
}

import { basename, extname, resolve } from 'node:path'
import type { Command } from 'commander'
import { stateDirFor, type RawConfig } from '../../config/index.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { shorten } from '../format-problem.ts'
import { planFromValue } from '../load-trusted.ts'
import { literalText } from '../plain-text.ts'
import { runGateway, type GatewayOptions } from '../run-gateway.ts'

interface ReplayOptions extends GatewayOptions {
  readonly speed: string
}

export function register(program: Command, io: CliIo): void {
  program
    .command('replay')
    .argument('<file>', 'what "gantry record" wrote')
    .description(
      'Serves a recording as a mock: no network, no account, no process, and the same answers every time.',
    )
    .option('-p, --port <number>', 'port of the gateway (default: 7332, or the next free one)')
    .option('--stdio', 'serve on standard input and output, for clients that spawn their servers')
    .option('--speed <factor>', '1 keeps the recorded pace, 0 answers at once', '0')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry replay github.jsonl\n  gantry replay github.jsonl --speed 1 --stdio',
    )
    .action(action(io, replay))
}

async function replay(asked: string, cli: Cli<ReplayOptions>): Promise<void> {
  const { places } = cli.io
  const file = resolve(places.cwd, asked)
  const speed = speedOf(cli.options.speed)
  const { readRecording } = await import('../../main.ts')
  await readRecording(file).catch((error: NodeJS.ErrnoException) => {
    const message = error.code === 'ENOENT' ? `There is no file ${asked}` : error.message
    throw new CliError(message, { exitCode: 2, fix: 'Make one with: gantry record TARGET', cause: error })
  })
  const config: RawConfig = {
    mcpServers: { [basename(file, extname(file))]: { replay: literalText(file), speed, prefix: false } },
    stateDir: literalText(stateDirFor(file, places)),
  }
  const plan = await planFromValue(config, shorten(file, places.cwd), cli)
  await runGateway({ ...plan, logLevel: 'warn' }, cli)
}

function speedOf(text: string): number {
  const speed = Number(text)
  if (text.trim() !== '' && speed >= 0 && speed <= 100) return speed
  throw new CliError(`"${text}" is not a speed`, { exitCode: 2, fix: 'Give a number from 0 to 100.' })
}

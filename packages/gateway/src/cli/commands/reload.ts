import { once } from 'node:events'
import { connect } from 'node:net'
import type { Command } from 'commander'
import { parseJson } from '@gantry/mcp/foreign'
import { countOf } from '../../admin/contract.ts'
import {
  findConfig,
  findGateways,
  readStateFile,
  stateDirFor,
  type GatewayState,
} from '../../config/index.ts'
import type { ReloadResult } from '../../workers/worker-place.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { loadTrusted } from '../load-trusted.ts'

export function register(program: Command, io: CliIo): void {
  program
    .command('reload')
    .description(
      'Replaces the workers of the gateway on this machine, one after another, without failing a call: for a new version, and for what changed in "server" or "store". Ends with 1 when a new worker does not start; the others stay as they are then.',
    )
    .addHelpText('after', '\nExamples:\n  gantry reload\n  gantry reload --config team.yaml')
    .action(action(io, reload))
}

async function reload(cli: Cli): Promise<void> {
  const state = await findRunning(cli)
  if (!state) throw new CliError('No gateway is running here', { fix: 'Start one with "gantry serve".' })
  const { supervisor } = state
  if (supervisor === undefined) {
    throw new CliError('This gateway is one process, which cannot be replaced while it serves', {
      fix: 'Set "server.workers" to 2 or more and start it again. Most changes of the configuration need no reload.',
    })
  }
  const { replaced, failed } = await cli.progress('Replacing the workers', () => ask(supervisor))
  if (failed !== undefined) {
    throw new CliError(`${failed} (${countOf(replaced, 'worker')} replaced)`, {
      fix: 'Look into the log of the gateway, and run "gantry check".',
    })
  }
  if (cli.json) cli.printJson({ replaced })
  else cli.say(`${countOf(replaced, 'worker')} replaced`)
}

async function findRunning(cli: Cli): Promise<GatewayState | undefined> {
  const found = findConfig(cli.io.places, cli.options.config)
  if (found === undefined) return only(await findGateways(cli.io.places))
  const own = await readStateFile(stateDirFor(found, cli.io.places))
  if (own) return own
  const config = await loadTrusted(cli)
  return config && readStateFile(config.loaded.model.stateDir)
}

function only(found: readonly GatewayState[]): GatewayState | undefined {
  if (found.length <= 1) return found[0]
  throw new CliError(`There is no configuration here, and ${found.length} gateways are running`, {
    exitCode: 2,
    fix: 'Say which with --config FILE',
  })
}

async function ask(supervisor: string): Promise<ReloadResult> {
  try {
    const socket = connect(supervisor)
    await once(socket, 'connect')
    let text = ''
    for await (const piece of socket.setEncoding('utf8')) text += piece
    return parseJson(text) as unknown as ReloadResult
  } catch (error) {
    throw new CliError('The gateway ended before its workers were replaced', { cause: error })
  }
}

import type { Command } from 'commander'
import { loadDemo, openLog } from '../../main.ts'
import { action, type Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import { planFromFile, planFromValue } from '../load-trusted.ts'
import { workerPlace } from '../../workers/worker-place.ts'
import { runGateway, type GatewayOptions, type GatewayPlan } from '../run-gateway.ts'

interface ServeOptions extends GatewayOptions {
  readonly demo?: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('serve')
    .description(
      'Runs the gateway until it is stopped. Changes of the configuration are taken up while it runs.',
    )
    .option('-p, --port <number>', 'port instead of the configured one (7332); 0 takes any free one')
    .option('--host <address>', 'address instead of the configured one (127.0.0.1)')
    .option(
      '--stdio',
      'serve on standard input and output, for clients that spawn their servers; the console gets any free port',
    )
    .option('--log-format <format>', 'text or json, instead of the configured format of the log')
    .option('--workers <number>', 'processes that share the port, instead of the configured number; or auto')
    .option('--demo', 'run the built-in demo targets instead of a configuration')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry serve\n  gantry serve --config team.yaml --port 8080\n  gantry serve --demo',
    )
    .action(action(io, serve))
}

async function serve(cli: Cli<ServeOptions>): Promise<void> {
  const plan = await (cli.options.demo ? demo(cli) : planFromFile(cli))
  const { workers } = plan.loaded.model.server
  if (workers > 1 && !workerPlace(process.env)) await runWorkers(workers, plan, cli.options)
  else await runGateway(plan, cli)
}

async function runWorkers(count: number, plan: GatewayPlan, options: ServeOptions): Promise<void> {
  if (options.stdio || options.demo) {
    const flag = options.stdio ? '--stdio' : '--demo'
    throw new CliError(`${flag} is one process`, {
      exitCode: 2,
      fix: 'Leave out --workers and "server.workers"',
    })
  }
  const { supervise } = await import('../../workers/supervisor.ts')
  if (!(await supervise(count, openLog(plan.loaded.model).log))) throw new CliExit(1)
}

async function demo(cli: Cli<ServeOptions>): Promise<GatewayPlan> {
  const { config, embedded } = await loadDemo()
  return { ...(await planFromValue(config, 'the demo', cli)), embedded }
}

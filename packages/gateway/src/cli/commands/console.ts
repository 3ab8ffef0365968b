import type { Command } from 'commander'
import { openBrowser } from '@gantry/mcp/auth/node'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withAdmin } from '../open-admin.ts'
import { plainText } from '../plain-text.ts'

interface Options extends GlobalOptions {
  readonly newToken?: boolean
  readonly open: boolean
}

export function register(program: Command, io: CliIo): void {
  program
    .command('console')
    .description('Prints the address of the console of the running gateway, and opens it.')
    .option('--new-token', 'make a new token: everybody who is signed in has to sign in again')
    .option('--no-open', 'only print the address')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry console\n  gantry console --no-open\n  gantry console --new-token',
    )
    .action(action(io, show))
}

async function show(cli: Cli<Options>): Promise<void> {
  const address = await withAdmin(cli, async ({ api, isRunning, consoleAddress }) => {
    if (!isRunning) {
      throw new CliError('No gateway is running here', { fix: 'Start one with "gantry serve".' })
    }
    return cli.options.newToken ? (await api.call('renewToken', {})).address : consoleAddress
  })
  if (cli.json) cli.printJson({ address })
  else cli.say(plainText(address))
  if (!cli.options.open || cli.json || !cli.io.stdout.isTTY) return
  await openBrowser(address).catch(() => cli.note('No browser could be opened: open the address yourself.'))
}

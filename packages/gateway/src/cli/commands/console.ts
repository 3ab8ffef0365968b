import type { Command } from 'commander'
import { openBrowser } from '@gantry/mcp/auth/node'
import { CliError } from '../cli-error.ts'
import { printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
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
    .action((_: unknown, self: Command) => show(self.optsWithGlobals<Options>(), io))
}

async function show(options: Options, io: CliIo): Promise<void> {
  const address = await withAdmin(io, options, async ({ api, isRunning, consoleAddress }) => {
    if (!isRunning) {
      throw new CliError('No gateway is running here', { fix: 'Start one with "gantry serve".' })
    }
    return options.newToken ? (await api.call('renewToken', {})).address : consoleAddress
  })
  if (options.json) printJson(io, { address })
  else printLine(io.stdout, plainText(address))
  if (!options.open || options.json || !io.stdout.isTTY) return
  await openBrowser(address).catch(() =>
    printLine(io.stderr, 'No browser could be opened: open the address yourself.'),
  )
}

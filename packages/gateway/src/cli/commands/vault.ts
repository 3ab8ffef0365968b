import type { Command } from 'commander'
import { action, type Cli } from '../cli.ts'
import type { CliIo } from '../cli-io.ts'
import { withVault } from '../open-vault.ts'

export function register(program: Command, io: CliIo): void {
  const vault = program
    .command('vault')
    .description('The keys that accounts of people are encrypted with. Credentials are never shown.')
  vault
    .command('list')
    .description('Lists the keys, the newest first, and how many accounts are under each.')
    .action(action(io, list))
  vault
    .command('rotate')
    .description('Makes a new key and puts all accounts under it. Gateways go on running meanwhile.')
    .action(action(io, rotate))
}

async function list(cli: Cli): Promise<void> {
  const keys = await withVault(cli, ({ vault }) => vault.keys())
  if (cli.json) return cli.printJson({ keys })
  const { paint } = cli
  const rows = keys.map(({ kid, rows: count }) => [kid, String(count)])
  cli.table([['key', 'accounts'].map(paint.dim), ...rows])
}

async function rotate(cli: Cli): Promise<void> {
  const done = await withVault(cli, ({ vault }) => vault.rotate())
  if (cli.json) return cli.printJson(done)
  const { kid, rows, unreadable } = done
  cli.say(`${rows - unreadable} accounts are under the key ${kid} now`)
  if (unreadable > 0) {
    cli.note(`${unreadable} accounts could not be opened: their owners have to connect them again`)
  }
}

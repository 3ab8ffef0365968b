import type { Command } from 'commander'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { withVault } from '../open-vault.ts'
import { formatTable } from '../table.ts'

export function register(program: Command, io: CliIo): void {
  const vault = program
    .command('vault')
    .description('The keys that accounts of people are encrypted with. Credentials are never shown.')
  vault
    .command('list')
    .description('Lists the keys, the newest first, and how many accounts are under each.')
    .action((_: unknown, self: Command) => list(self.optsWithGlobals<GlobalOptions>(), io))
  vault
    .command('rotate')
    .description('Makes a new key and puts all accounts under it. Gateways go on running meanwhile.')
    .action((_: unknown, self: Command) => rotate(self.optsWithGlobals<GlobalOptions>(), io))
}

async function list(options: GlobalOptions, io: CliIo): Promise<void> {
  const keys = await withVault(options, io, ({ vault }) => vault.keys())
  if (options.json) return printJson(io, { keys })
  const paint = paintFor(io.stdout, io, options)
  const rows = keys.map(({ kid, rows: count }) => [kid, String(count)])
  for (const line of formatTable([['key', 'accounts'].map(paint.dim), ...rows])) printLine(io.stdout, line)
}

async function rotate(options: GlobalOptions, io: CliIo): Promise<void> {
  const done = await withVault(options, io, ({ vault }) => vault.rotate())
  if (options.json) return printJson(io, done)
  const { kid, rows, unreadable } = done
  printLine(io.stdout, `${rows - unreadable} accounts are under the key ${kid} now`)
  if (unreadable > 0) {
    printLine(
      io.stderr,
      `${unreadable} accounts could not be opened: their owners have to connect them again`,
    )
  }
}

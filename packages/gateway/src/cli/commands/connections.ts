import type { Command } from 'commander'
import { describePrincipal } from '@gantry/mcp/exchange'
import type { VaultRow } from '../../identity/vault/vault.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { withVault } from '../open-vault.ts'
import { plainText } from '../plain-text.ts'
import { timeIn } from '../table.ts'

interface RemoveOptions extends GlobalOptions {
  readonly target?: string
}

export function register(program: Command, io: CliIo): void {
  const connections = program
    .command('connections')
    .description('The accounts that people have connected at targets. Credentials are never shown.')
  connections
    .command('list')
    .description('Lists who has connected what, until when, and when it was last used.')
    .action(action(io, list))
  connections
    .command('remove')
    .argument('<person>', 'the person as "list" shows them, or their subject alone')
    .description('Revokes and forgets the accounts of one person, and ends what they have open.')
    .option('--target <name>', 'at this target only')
    .action(action(io, remove))
}

async function list(cli: Cli): Promise<void> {
  const rows = await withVault(cli, ({ vault }) => vault.list())
  const connections = rows.map((row) => ({ ...row, person: describePrincipal(row.principal) }))
  if (cli.json) return cli.printJson({ connections })
  const { paint } = cli
  const heading = ['person', 'target', 'by', 'connected', 'ends', 'last used'].map(paint.dim)
  const cells = connections.map((row) => [
    paint.bold(plainText(row.person)),
    plainText(row.target),
    row.kind,
    timeIn(row.connectedAt, '-'),
    row.renewable ? 'renewed' : timeIn(row.expiresAt, 'never'),
    timeIn(row.usedAt, 'never'),
  ])
  cli.table([heading, ...cells])
}

async function remove(person: string, cli: Cli<RemoveOptions>): Promise<void> {
  const removed = await withVault(cli, async (accounts, model) => {
    const all = (await accounts.vault.list()).filter(
      (row) => isOf(row, person) && (cli.options.target === undefined || row.target === cli.options.target),
    )
    // Two issuers may have the same subject, and the user has to choose one.
    if (new Set(all.map(({ principal }) => describePrincipal(principal))).size > 1) {
      throw new CliError(`There are several people called "${plainText(person)}"`, {
        fix: 'Write the person as "gantry connections list" shows them',
      })
    }
    for (const row of all) {
      await accounts.disconnect(
        row,
        model.targets.find(({ name }) => name === row.target),
      )
    }
    return all.length
  })
  if (removed === 0) throw new CliError(`"${plainText(person)}" has no such account`)
  if (cli.json) return cli.printJson({ removed })
  cli.say(`${removed} ${removed === 1 ? 'account is' : 'accounts are'} gone`)
}

function isOf({ principal }: VaultRow, person: string): boolean {
  return describePrincipal(principal) === person || principal.subject === person
}

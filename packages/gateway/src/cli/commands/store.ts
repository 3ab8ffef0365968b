import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { GatewayModel } from '../../model/index.ts'
import { scanAll, type Store } from '../../store/index.ts'
import { action, type Cli } from '../cli.ts'
import { CliError, CliExit } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { loadTrusted } from '../load-trusted.ts'
import { plainText } from '../plain-text.ts'
import { noConfig } from '../accept-config.ts'

const FIX_REDIS = 'See that it runs, and that "store.redis" has its address and a user that may come in'
const MASK = '••••••'

export function register(program: Command, io: CliIo): void {
  const store = program
    .command('store')
    .description(
      'Looks into the store, where a gateway keeps what outlives a request. Works while gateways run.',
    )
  store
    .command('check')
    .description('Reads everything, and says how much there is, what has expired, and what is wrong.')
    .addHelpText('after', '\nExit codes: 0 all is well, 1 something is wrong.')
    .action(action(io, (cli: Cli<StoreOptions>) => withStore(cli, check)))
  store
    .command('dump')
    .description('Prints every row as a line of JSON.')
    .option('--secrets', 'show secrets, which are masked otherwise')
    .action(action(io, (cli: Cli<StoreOptions>) => withStore(cli, dump)))
  store
    .command('write-back')
    .description(
      'Writes sign-ins, lists and their history to the files of earlier versions, for going back to one. Stop the gateway first.',
    )
    .action(action(io, (cli: Cli<StoreOptions>) => withStore(cli, writeBack)))
  store
    .command('migrate <to>')
    .description(
      'Copies everything from the file to Redis ("redis"), or back ("embedded"). The configuration names the Redis in "store.redis". Stop the gateways first.',
    )
    .option('--path <file>', 'the file; store.mdb in the state folder when left out')
    .option('--merge', 'copy also when there are rows already, and replace those of the same name')
    .action(action(io, migrate))
}

interface StoreOptions extends GlobalOptions {
  readonly path?: string
  readonly merge?: boolean
  readonly secrets?: boolean
}

interface Opened {
  readonly store: Store
  readonly model: GatewayModel
  readonly cli: Cli<StoreOptions>
}

async function withStore(cli: Cli<StoreOptions>, run: (opened: Opened) => Promise<void>): Promise<void> {
  const config = await loadTrusted(cli)
  if (!config) throw noConfig(cli.io.places)
  const { model } = config.loaded
  if (model.store.kind === 'memory') {
    throw new CliError('This configuration keeps its state in memory: there is nothing to look into', {
      fix: 'Remove "store.kind" to keep it in a file',
    })
  }
  if (model.store.kind === 'embedded') requireFile(model.store.path)
  const { openStoreOf } = await import('../../state/open-state.ts')
  const store = await openStoreOf(model).catch((error: Error) => {
    const fix =
      model.store.kind === 'redis' ? FIX_REDIS : 'Move the file away: a gateway that starts makes a new one'
    throw new CliError(error.message, { fix, cause: error })
  })
  try {
    requireRedis(store)
    await run({ store, model, cli })
  } finally {
    await store.close()
  }
}

function requireFile(path: string): void {
  if (existsSync(path)) return
  throw new CliError(`There is no store at ${path}`, { fix: 'The first start of a gateway makes it' })
}

function requireRedis({ away }: Store): void {
  if (away) throw new CliError(`Redis cannot be reached: ${away.reason}`, { fix: FIX_REDIS })
}

/** Between the file and the Redis of one configuration: it has to name a Redis in both directions. */
async function migrate(to: string, cli: Cli<StoreOptions>): Promise<void> {
  const { options, io } = cli
  if (to !== 'redis' && to !== 'embedded') {
    throw new CliError(`There is no store of the kind "${plainText(to)}"`, {
      fix: 'Write: gantry store migrate redis, or: gantry store migrate embedded',
    })
  }
  const config = await loadTrusted(cli)
  if (!config) throw noConfig(io.places)
  const { model } = config.loaded
  if (model.store.kind !== 'redis') {
    throw new CliError('This configuration has no Redis', { fix: 'Set "store.redis" first' })
  }
  const path = options.path === undefined ? undefined : resolve(io.places.cwd, options.path)
  if (to === 'redis') requireFile(path ?? join(model.stateDir, 'store.mdb'))
  const { prepareMigration } = await import('../../state/migrate-store.ts')
  const log = (_: unknown, message: string): void => cli.note(message)
  const migration = await prepareMigration(model, { to, path }, log).catch((error: Error) => {
    throw new CliError(error.message, { fix: FIX_REDIS, cause: error })
  })
  try {
    const { rows, present, unreadable } = migration
    if (unreadable.length > 0) {
      throw new CliError(
        `No key opens ${unreadable.length} rows, the first is ${plainText(unreadable[0]!)}; nothing was copied`,
        { fix: 'Add the key that sealed them to "server.sealingKeys", or as a line of sealing.key' },
      )
    }
    if (present > 0 && !options.merge) {
      throw new CliError(`There are ${present} rows already; nothing was copied`, {
        fix: 'Add --merge: rows of the same name are replaced then, and the others stay',
      })
    }
    await migration.copy()
    if (cli.json) return cli.printJson({ ok: true, to, rows })
    cli.note(`${rows} rows are in ${to === 'redis' ? 'Redis' : 'the file'} now`)
    if (to === 'embedded') cli.note('Remove "store.redis" before the gateway starts again')
  } finally {
    await migration.close()
  }
}

async function check({ store, cli }: Opened): Promise<void> {
  const inspection = await store.inspect()
  const unreadable: string[] = []
  for await (const row of scanAll(store)) {
    await store.reveal(row).catch(() => unreadable.push(`${row.table} ${row.key}`))
  }
  const ok = inspection.problems.length === 0 && unreadable.length === 0
  if (cli.json) cli.printJson({ ok, ...inspection, unreadable })
  else {
    const { paint } = cli
    const rows = Object.entries(inspection.tables).map(([table, { rows, expired }]) => [
      table,
      String(rows),
      String(expired),
    ])
    cli.table([['rows of', 'there', 'expired'].map(paint.dim), ...rows])
    cli.say(`\n${inspection.bytes} of ${inspection.maxBytes} bytes, format ${inspection.format}`)
    for (const problem of inspection.problems) cli.say(`${paint.red('✗')} ${plainText(problem)}`)
    for (const name of unreadable) cli.say(`${paint.red('✗')} no key opens ${plainText(name)}`)
    if (ok) cli.say(`${paint.green('✓')} All is well`)
  }
  if (!ok) throw new CliExit(1)
}

async function dump({ store, cli }: Opened): Promise<void> {
  for await (const row of scanAll(store)) {
    const { table, key, version, expires, secret } = row
    const value = secret && !cli.options.secrets ? MASK : await store.reveal(row).catch(() => null)
    cli.say(JSON.stringify({ table, key, version, expires, secret, value }))
  }
}

async function writeBack({ store, model, cli }: Opened): Promise<void> {
  const { writeOldFiles } = await import('../../state/old-files.ts')
  const written = await writeOldFiles(model, store)
  if (cli.json) return cli.printJson({ folder: model.stateDir, written })
  for (const name of written) cli.say(name)
  cli.note(`${written.length} files are in ${model.stateDir}`)
}

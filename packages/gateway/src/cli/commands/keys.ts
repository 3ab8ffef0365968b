import type { Command } from 'commander'
import type { AddKey, AdminApi, KeyAdded, KeyList, KeyRow } from '../../admin/contract.ts'
import { ManagedKeys, KeyProblem } from '../../identity/keys/managed-keys.ts'
import { readSpan } from '../../model/index.ts'
import { noConfig } from '../accept-config.ts'
import { action, type Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo, GlobalOptions } from '../cli-io.ts'
import { loadTrusted } from '../load-trusted.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { timeIn } from '../table.ts'

interface AddOptions extends GlobalOptions {
  readonly scope?: readonly string[]
  readonly view?: readonly string[]
  readonly expires?: string
}

export function register(program: Command, io: CliIo): void {
  const keys = program
    .command('keys')
    .description('Makes, lists and revokes keys for clients. A running gateway follows at once.')
  keys
    .command('add')
    .argument('<name>', 'names the key in rules and logs')
    .description('Makes a key and prints it. It is shown this once: only its hash is kept.')
    .option('--scope <scope...>', 'what rules know about its holder; gantry:admin opens the console')
    .option('--view <name...>', 'views and targets that it opens, and nothing else; all without it')
    .option('--expires <duration>', 'how long it is good, such as 90d; for ever without it')
    .addHelpText(
      'after',
      '\nExamples:\n  gantry keys add ci --expires 90d\n  gantry keys add desk --view support --scope read',
    )
    .action(action(io, add))
  keys
    .command('list')
    .description('Lists all keys, when they expire and when they were last used.')
    .action(action(io, list))
  keys
    .command('revoke')
    .argument('<name>', 'the key')
    .description('Ends a key, and the streams that it has open.')
    .action(action(io, revoke))
}

/** The same three things, of a gateway elsewhere or of the store of this configuration. */
interface Keys {
  list(): Promise<KeyList>
  add(wanted: AddKey): Promise<KeyAdded>
  revoke(name: string): Promise<unknown>
}

async function add(name: string, cli: Cli<AddOptions>): Promise<void> {
  const expiresAt = cli.options.expires === undefined ? undefined : Date.now() + lifeOf(cli.options.expires)
  const wanted: AddKey = {
    name,
    scopes: cli.options.scope ?? [],
    views: cli.options.view ?? [],
    ...(expiresAt !== undefined && { expiresAt }),
  }
  const { added, accepting } = await withKeys(cli, async (keys) => ({
    added: await keys.add(wanted),
    accepting: (await keys.list()).accepting,
  }))
  if (cli.json) return cli.printJson({ ...added, accepting })
  cli.say(added.key)
  cli.note('Keep it now: it is not shown again.')
  if (accepting) return
  const paint = cli.notePaint
  cli.note(`${paint.yellow('!')} The configuration does not accept it yet: add "auth": { "keys": true }`)
}

function lifeOf(text: string): number {
  const life = readSpan(text)
  if (life !== undefined && life > 0) return life
  throw new CliError(`"${text}" is not a duration`, { exitCode: 2, fix: 'Write 12h, 90d or the like' })
}

async function list(cli: Cli): Promise<void> {
  const found = await withKeys(cli, (keys) => keys.list())
  if (cli.json) return cli.printJson(found)
  const { paint } = cli
  const heading = ['key', 'state', 'scopes', 'views', 'expires', 'last used', 'from'].map(paint.dim)
  const rows = found.keys.map((key) => toCells(key, paint))
  cli.table([heading, ...rows])
}

function toCells(key: KeyRow, paint: Paint): string[] {
  const colour = key.state === 'active' ? paint.green : paint.red
  return [
    paint.bold(plainText(key.name)),
    colour(key.state.replace('-', ' ')),
    plainText(key.scopes.join(' ')) || '-',
    plainText(key.views.join(' ')) || 'all',
    timeIn(key.expiresAt, 'never'),
    timeIn(key.lastUsedAt, key.from === 'store' ? 'never' : '-'),
    key.from,
  ]
}

async function revoke(name: string, cli: Cli): Promise<void> {
  await withKeys(cli, (keys) => keys.revoke(name))
  if (cli.json) return cli.printJson({ ok: true })
  cli.note(`"${plainText(name)}" opens nothing any more`)
}

/**
 * Processes of one machine share the store, so the first key can be made before any key opens the gateway's API. State
 * in memory and gateways elsewhere (`GANTRY_URL`) are reached by the API.
 */
async function withKeys<T>(cli: Cli, work: (keys: Keys) => Promise<T>): Promise<T> {
  const config = cli.io.places.env.GANTRY_URL ? undefined : await loadTrusted(cli)
  if (!config && !cli.io.places.env.GANTRY_URL) throw noConfig(cli.io.places)
  if (!config || config.loaded.model.store.kind === 'memory') {
    return withAdmin(cli, ({ api, isRunning }) => {
      if (isRunning) return work(remoteKeys(api))
      throw new CliError('This configuration keeps its state in memory, and no gateway runs with it', {
        fix: 'Start the gateway first, or remove "store.kind" to keep keys in a file',
      })
    })
  }
  const { model } = config.loaded
  const { openState } = await import('../../state/open-state.ts')
  const { KeptKeys } = await import('../../identity/keys/kept-keys.ts')
  const reasons: string[] = []
  const { store, isKept } = await openState(model, (_, message) => reasons.push(message))
  try {
    if (!isKept) throw new CliError(reasons.at(-1) ?? 'The store cannot be used')
    return await work(localKeys(new ManagedKeys(new KeptKeys(store), () => model)))
  } finally {
    await store.close()
  }
}

function remoteKeys(api: AdminApi): Keys {
  return {
    list: () => api.call('keys', {}),
    add: (body) => api.call('addKey', { body }),
    revoke: (name) => api.call('revokeKey', { params: { name } }),
  }
}

function localKeys(managed: ManagedKeys): Keys {
  return {
    list: async () => ({ accepting: managed.isAccepting, keys: await managed.list() }),
    add: async (wanted) => {
      const { key, listed } = await managed.add(wanted).catch(refuse)
      return { key, row: listed }
    },
    revoke: (name) => managed.revoke(name).catch(refuse),
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof KeyProblem)) throw error
  throw new CliError(error.message, { fix: error.fix, cause: error })
}

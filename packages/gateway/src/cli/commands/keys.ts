import type { Command } from 'commander'
import type { AddKey, KeyAdded, KeyList, KeyRow } from '../../admin/contract.ts'
import { KeyDesk, KeyProblem } from '../../identity/keys/key-desk.ts'
import { readSpan } from '../../model/index.ts'
import { noConfig } from '../accept-config.ts'
import { CliError } from '../cli-error.ts'
import { paintFor, printJson, printLine, type CliIo, type GlobalOptions } from '../cli-io.ts'
import { loadTrusted } from '../load-trusted.ts'
import { withAdmin } from '../open-admin.ts'
import type { Paint } from '../paint.ts'
import { plainText } from '../plain-text.ts'
import { formatTable, timeIn } from '../table.ts'

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
    .action((name: string, _: unknown, self: Command) => add(name, self.optsWithGlobals<AddOptions>(), io))
  keys
    .command('list')
    .description('Lists all keys, when they expire and when they were last used.')
    .action((_: unknown, self: Command) => list(self.optsWithGlobals<GlobalOptions>(), io))
  keys
    .command('revoke')
    .argument('<name>', 'the key')
    .description('Ends a key, and the streams that it has open.')
    .action((name: string, _: unknown, self: Command) =>
      revoke(name, self.optsWithGlobals<GlobalOptions>(), io),
    )
}

/** The same three things, of a gateway elsewhere or of the store of this configuration. */
interface Keys {
  list(): Promise<KeyList>
  add(wanted: AddKey): Promise<KeyAdded>
  revoke(name: string): Promise<unknown>
}

async function add(name: string, options: AddOptions, io: CliIo): Promise<void> {
  const expiresAt = options.expires === undefined ? undefined : Date.now() + lifeOf(options.expires)
  const wanted: AddKey = {
    name,
    scopes: options.scope ?? [],
    views: options.view ?? [],
    ...(expiresAt !== undefined && { expiresAt }),
  }
  const { added, accepting } = await withKeys(options, io, async (keys) => ({
    added: await keys.add(wanted),
    accepting: (await keys.list()).accepting,
  }))
  if (options.json) return printJson(io, { ...added, accepting })
  printLine(io.stdout, added.key)
  printLine(io.stderr, 'Keep it now: it is not shown again.')
  if (accepting) return
  const paint = paintFor(io.stderr, io, options)
  printLine(
    io.stderr,
    `${paint.yellow('!')} The configuration does not accept it yet: add "auth": { "keys": true }`,
  )
}

function lifeOf(text: string): number {
  const life = readSpan(text)
  if (life !== undefined && life > 0) return life
  throw new CliError(`"${text}" is no duration`, { exitCode: 2, fix: 'Write 12h, 90d or the like' })
}

async function list(options: GlobalOptions, io: CliIo): Promise<void> {
  const found = await withKeys(options, io, (keys) => keys.list())
  if (options.json) return printJson(io, found)
  const paint = paintFor(io.stdout, io, options)
  const heading = ['key', 'state', 'scopes', 'views', 'expires', 'last used', 'from'].map(paint.dim)
  const rows = found.keys.map((key) => toCells(key, paint))
  for (const line of formatTable([heading, ...rows])) printLine(io.stdout, line)
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

async function revoke(name: string, options: GlobalOptions, io: CliIo): Promise<void> {
  await withKeys(options, io, (keys) => keys.revoke(name))
  if (options.json) return printJson(io, { ok: true })
  printLine(io.stderr, `"${plainText(name)}" opens nothing any more`)
}

/**
 * Processes of one machine share the store, so a key can be made before the gateway has one that opens its API.
 * State in memory and gateways elsewhere (`GANTRY_URL`) are reached by the API.
 */
async function withKeys<T>(options: GlobalOptions, io: CliIo, work: (keys: Keys) => Promise<T>): Promise<T> {
  const config = io.places.env.GANTRY_URL ? undefined : await loadTrusted(options, io)
  if (!config && !io.places.env.GANTRY_URL) throw noConfig(io.places)
  if (!config || config.loaded.model.store.kind === 'memory') {
    return withAdmin(io, options, ({ api, isRunning }) => {
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
    return await work(localKeys(new KeyDesk(new KeptKeys(store), () => model)))
  } finally {
    await store.close()
  }
}

function remoteKeys(api: Parameters<Parameters<typeof withAdmin>[2]>[0]['api']): Keys {
  return {
    list: () => api.call('keys', {}),
    add: (body) => api.call('addKey', { body }),
    revoke: (name) => api.call('revokeKey', { params: { name } }),
  }
}

function localKeys(desk: KeyDesk): Keys {
  return {
    list: async () => ({ accepting: desk.isAccepting, keys: await desk.list() }),
    add: async (wanted) => {
      const { key, listed } = await desk.add(wanted).catch(refuse)
      return { key, row: listed }
    },
    revoke: (name) => desk.revoke(name).catch(refuse),
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof KeyProblem)) throw error
  throw new CliError(error.message, { fix: error.fix, cause: error })
}

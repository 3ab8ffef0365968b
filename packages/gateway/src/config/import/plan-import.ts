import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findConfig, userConfigFile } from '../find-config.ts'
import { editConfig } from '../edit-config.ts'
import { configFromValue, parseConfig } from '../load-config.ts'
import type { RawConfig, RawTarget } from '../raw-config.ts'
import { parseSource } from '../parse-source.ts'
import { formatOf } from '../source-document.ts'
import { readStateFile } from '../state-file.ts'
import type { UserPlaces } from '../user-places.ts'
import { chooseName } from './choose-name.ts'
import { type ClientFile, type ClientId, CLIENTS } from './clients.ts'
import type { FileChange, ImportItem, ImportOptions, PlanResult } from './import-plan.ts'
import { addressOf, type GatewayAddress, isGatewayEntry } from './point-client.ts'
import { planPointing } from './plan-pointing.ts'
import { readClientFile, type ReadClientFile, type ServerList } from './read-client-file.ts'
import { translateEntry } from './translate-entry.ts'

const NEW_FILE = `// Gantry: many MCP servers behind one endpoint.
{
  "mcpServers": {}
}
`

export async function planImport(places: UserPlaces, options: ImportOptions = {}): Promise<PlanResult> {
  const to =
    options.to === undefined
      ? (findConfig(places) ?? userConfigFile(places))
      : resolve(places.cwd, options.to)
  const before = await readFile(to, 'utf8').catch(() => undefined)
  const sources = (await Promise.all(sourceFiles(places, options).map(readClientFile))).filter(
    (file) => file !== undefined,
  )
  const start = before ?? (formatOf(to, '') === 'yaml' ? '' : NEW_FILE)
  const existing = await readExisting(start, to, { places, launcher: options.launcher })
  if (!existing.ok) return existing

  const items = await collect(sources, { places, taken: existing.targets, address: existing.address })
  let after = start
  for (const { as, outcome } of items) {
    if (outcome !== 'added') continue
    const edit = await editConfig(after, formatOf(to, after), {
      type: 'setTarget',
      name: as!,
      value: existing.targets.get(as!)!,
    })
    if (!edit.ok) return edit
    after = edit.text
  }
  const changes: FileChange[] =
    after === start ? [] : [{ file: to, role: 'config', before, after, lists: [] }]
  const pointed = options.point ? await planPointing(sources, items, existing.address, options) : undefined
  return {
    ok: true,
    plan: {
      to,
      sources,
      items,
      changes: [...changes, ...(pointed?.changes ?? [])],
      notes: [...missingNotes(sources, places, options), ...(pointed?.notes ?? [])],
    },
  }
}

function sourceFiles(places: UserPlaces, { clients, from }: ImportOptions): ClientFile[] {
  if (from !== undefined) {
    const client = clients?.[0] ?? 'mcp-json'
    return [{ client, file: resolve(places.cwd, from), scope: 'user', folder: undefined }]
  }
  const wanted = CLIENTS.filter((client) => !clients?.length || clients.includes(client.id))
  const files = wanted.flatMap((client) => client.files(places))
  // In the home folder a file of the project is also the user's own.
  return files.filter((file, index) => files.findIndex((other) => other.file === file.file) === index)
}

type Existing =
  | { ok: true; targets: Map<string, RawTarget>; address: GatewayAddress }
  | { ok: false; reason: string }

async function readExisting(
  text: string,
  file: string,
  { places, launcher }: { places: UserPlaces; launcher: ImportOptions['launcher'] },
): Promise<Existing> {
  const isNew = text === ''
  const loaded = await (isNew ? configFromValue({}, { places }) : parseConfig(text, { file, places }))
  if (!loaded.ok) {
    const first = loaded.problems.find((problem) => problem.severity === 'error')!
    return {
      ok: false,
      reason: `${file}:${first.line}: ${first.message}. Correct it first: gantry check ${file}`,
    }
  }
  const value = isNew ? {} : ((await parseSource(text, formatOf(file, text))).value as RawConfig)
  const targets = new Map(Object.entries({ ...value.servers, ...value.mcpServers }))
  const runningAt = (await readStateFile(loaded.model.stateDir))?.url
  return { ok: true, targets, address: addressOf(loaded.model, file, { runningAt, launcher }) }
}

interface Collecting {
  readonly places: UserPlaces
  /** Grows with every server that is added. */
  readonly taken: Map<string, RawTarget>
  readonly address: GatewayAddress
}

async function collect(sources: readonly ReadClientFile[], collecting: Collecting): Promise<ImportItem[]> {
  const items: ImportItem[] = []
  for (const source of sources) {
    for (const list of source.lists) {
      for (const [name, entry] of Object.entries(list.servers)) {
        const about = { name, client: source.client, file: source.file, list }
        items.push({ ...about, ...(await decide(name, entry, { ...about, ...collecting })) })
      }
    }
  }
  return items
}

type Decision = Pick<ImportItem, 'outcome' | 'as' | 'reason' | 'notes'>

async function decide(
  name: string,
  entry: unknown,
  { client, list, places, taken, address }: Collecting & { client: ClientId; list: ServerList },
): Promise<Decision> {
  const skip = (reason: string): Decision => ({ outcome: 'skipped', as: undefined, reason, notes: [] })
  if (isGatewayEntry(entry, address)) return skip('it is this gateway')
  const translated = translateEntry(entry, {
    client,
    home: places.home,
    folder: list.folder,
    defaults: list.defaults,
  })
  if (!translated.ok) return skip(translated.reason)
  const { target, notes } = translated
  const choice = chooseName(name, target, { taken, client })
  if (choice.type === 'same') return { outcome: 'same', as: choice.name, reason: choice.reason, notes: [] }
  const check = await configFromValue({ mcpServers: { [choice.name]: target } }, { places })
  if (!check.ok) {
    const { message, fix } = check.problems.find((problem) => problem.severity === 'error')!
    return skip(fix === undefined ? message : `${message} (${fix})`)
  }
  taken.set(choice.name, target)
  return { outcome: 'added', as: choice.name, reason: choice.reason, notes }
}

function missingNotes(
  sources: readonly ReadClientFile[],
  places: UserPlaces,
  { clients, from }: ImportOptions,
): string[] {
  if (from !== undefined) return sources.length === 0 ? [`${resolve(places.cwd, from)} does not exist`] : []
  return CLIENTS.filter((client) => clients?.includes(client.id)).flatMap((client) => {
    if (sources.some((source) => source.client === client.id)) return []
    const looked = client.files(places).map((file) => file.file)
    return [`${client.title} has no configuration here (looked for ${looked.join(', ')})`]
  })
}

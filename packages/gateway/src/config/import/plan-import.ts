import { resolve } from 'node:path'
import { findConfig, userConfigFile } from '../find-config.ts'
import { editConfig } from '../edit/edit-config.ts'
import { toPrefix } from '../compile/compile-target.ts'
import { configFromValue, parseConfig } from '../load-config.ts'
import type { RawConfig, RawTarget } from '../../model/index.ts'
import { parseSource } from '../document/parse-source.ts'
import { formatOf } from '../document/source-document.ts'
import { readStateFile } from '../state-file.ts'
import type { UserPlaces } from '../user-places.ts'
import { type ClientFile, type ClientId, CLIENTS, findClient } from './clients.ts'
import type { FileChange, ImportItem, ImportOptions, PlanResult } from './import-plan.ts'
import {
  addressOf,
  type GatewayAddress,
  isGatewayEntry,
  gatewayEntry,
  placeOf,
  pointFile,
} from './point-client.ts'
import { readClientFile, type ReadClientFile, type ServerList } from './read-client-file.ts'
import { translateEntry } from './translate-entry.ts'
import { isSame, readSmallFile, targetScheme } from '../../model/index.ts'

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
  const before = await readSmallFile(to).catch(() => undefined)
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

/** The name of an imported server, and the reason when it is a new name. */
type Choice =
  | { readonly type: 'new'; readonly name: string; readonly reason: string | undefined }
  | { readonly type: 'same'; readonly name: string; readonly reason: string }

/** Finds a name that is free, unless the very same server is already there. */
function chooseName(
  wanted: string,
  target: RawTarget,
  { taken, client }: { taken: ReadonlyMap<string, RawTarget>; client: ClientId },
): Choice {
  const plain = toTargetName(wanted)
  const twin = [...taken].find(([, other]) => isSame(other, target))
  if (twin) {
    const reason = twin[0] === plain ? 'it is there already' : `it is the same server as "${twin[0]}"`
    return { type: 'same', name: twin[0], reason }
  }
  const rival = [...taken].find(([other]) => isSameScheme(other, plain))
  if (!rival) {
    const reason = plain === wanted ? undefined : 'a name has at most 64 characters and no "/"'
    return { type: 'new', name: plain, reason }
  }
  const name = firstFree(`${plain.slice(0, 40)}-${client}`, taken)
  return { type: 'new', name, reason: `"${rival[0]}" is another server: ${differences(rival[1], target)}` }
}

function toTargetName(name: string): string {
  const plain = name.replaceAll(/[/\u0000-\u001f]+/g, '-').slice(0, 64)
  return /^\.{0,2}$/.test(plain) ? 'server' : plain
}

/** Two targets whose URIs would begin alike are refused in a configuration. */
function isSameScheme(a: string, b: string): boolean {
  return targetScheme(toPrefix(a)) === targetScheme(toPrefix(b))
}

function firstFree(base: string, taken: ReadonlyMap<string, RawTarget>): string {
  let name = base
  const isTaken = (): boolean => [...taken.keys()].some((other) => isSameScheme(other, name))
  for (let number = 2; isTaken(); number++) name = `${base}-${number}`
  return name
}

/** Keys only: their values may be secrets. */
function differences(a: RawTarget, b: RawTarget): string {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])] as (keyof RawTarget)[]
  const different = keys.filter((key) => !isSame(a[key], b[key])).map((key) => `"${key}"`)
  return `${different.join(', ')} ${different.length === 1 ? 'is' : 'are'} not the same`
}

/** Plans the changes to clients' files, so that they use the gateway instead of their servers. */
async function planPointing(
  sources: readonly ReadClientFile[],
  items: readonly ImportItem[],
  address: GatewayAddress,
  options: ImportOptions,
): Promise<{ changes: FileChange[]; notes: string[] }> {
  const changes: FileChange[] = []
  const notes: string[] = []
  const placed = new Set<string>()
  for (const source of sources) {
    const moved = movedServers(items, source)
    const isWanted = moved.size > 0 || isAskedFor(source, options)
    if (!isWanted || source.error !== undefined) continue
    if (source.scope === 'project' && !options.pointProjects) {
      notes.push(`${source.file} belongs to a project and is left as it is; --point-projects changes it too`)
      continue
    }
    const place = placeOf(source)
    const entry = gatewayEntry(source.client, address)
    const pointed = await pointFile(source, moved, { entry, isPlaced: placed.has(place) })
    placed.add(place)
    if (!pointed) continue
    changes.push({
      file: source.file,
      role: 'client',
      before: source.text,
      after: pointed.text,
      lists: pointed.lists,
    })
    if (address.needsKey && 'command' in entry === false) {
      const title = findClient(source.client)?.title
      notes.push(
        `The gateway asks for a key: add the header "Authorization: Bearer KEY" to "gantry" in ${title}`,
      )
    }
  }
  return { changes, notes }
}

/** Only servers that are behind the gateway now may go. */
function movedServers(items: readonly ImportItem[], source: ReadClientFile): Map<ServerList, Set<string>> {
  const moved = new Map<ServerList, Set<string>>()
  for (const item of items) {
    if (item.file !== source.file || item.outcome === 'skipped') continue
    moved.set(item.list, (moved.get(item.list) ?? new Set()).add(item.name))
  }
  return moved
}

function isAskedFor(source: ReadClientFile, { clients, from }: ImportOptions): boolean {
  if (source.file.endsWith('settings.json')) return false
  return source.scope === 'user' && (from !== undefined || clients?.includes(source.client) === true)
}

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseUrl } from '@gantry/mcp/foreign'
import { parseSource, type RawTarget, type UserPlaces } from '../../config/index.ts'
import { translateEntry } from '../../config/import/index.ts'
import { fromCommandLine } from './from-command-line.ts'
import { guessName } from './guess-name.ts'

export interface Candidate {
  readonly name: string
  readonly entry: RawTarget
  /** For people: `a URL`, `a command line`. */
  readonly source: string
  readonly notes: readonly string[]
}

export interface Understanding {
  readonly candidates: readonly Candidate[]
  readonly refused: readonly { readonly name: string; readonly reason: string }[]
}

export interface UnderstandOptions {
  readonly name: string | undefined
  readonly places: UserPlaces
  /** Where relative paths start. */
  readonly folder: string
  /** Where a pasted description is put. */
  readonly stateDir: string
}

type Values = Readonly<Record<string, unknown>>

/** Finds out what a user pasted: a command line, a URL, a client's configuration, an API description. */
export async function understand(pasted: string, options: UnderstandOptions): Promise<Understanding> {
  const text = pasted
    .trim()
    .replace(/^```\w*\n([\s\S]*?)\n?```$/, '$1')
    .trim()
  if (text === '') return refuse(options, 'There is nothing to try')
  if (/^https?:\/\/\S+$/i.test(text)) return one(options, fromUrl(text))
  const value = await readObject(text)
  if (value) return fromObject(value, text, options)
  const file = resolve(options.folder, text.replace(/^~(?=\/)/, options.places.home))
  if (/^[^\n]+\.(json|ya?ml)$/i.test(text) && existsSync(file)) {
    return one(options, { entry: { openapi: { document: file } }, source: 'an OpenAPI description' })
  }
  const command = fromCommandLine(text)
  return command.ok
    ? one({ ...options, name: options.name ?? command.name }, command)
    : refuse(options, command.reason)
}

type Found = { readonly entry: RawTarget; readonly source: string; readonly notes?: readonly string[] }

function one({ name }: UnderstandOptions, { entry, source, notes = [] }: Found): Understanding {
  return { candidates: [{ name: name ?? guessName(entry), entry, source, notes }], refused: [] }
}

function refuse({ name = '' }: UnderstandOptions, reason: string): Understanding {
  return { candidates: [], refused: [{ name, reason }] }
}

function fromUrl(url: string): Found {
  const pathname = parseUrl(url)?.pathname ?? ''
  return /\.(json|ya?ml)$|openapi|swagger|api-docs/i.test(pathname)
    ? { entry: { openapi: { document: url } }, source: 'the URL of an OpenAPI description' }
    : { entry: { url }, source: 'a URL' }
}

/** Reads JSON, with or without its outer braces, or YAML. Returns undefined for other text. */
async function readObject(text: string): Promise<Values | undefined> {
  const attempts: [string, 'jsonc' | 'yaml'][] = []
  if (text.startsWith('{')) attempts.push([text, 'jsonc'])
  else if (/^"[^"]+"\s*:\s*\{/.test(text)) attempts.push([`{${text.replace(/,\s*$/, '')}}`, 'jsonc'])
  else if (/^[\w"'$./@-]+:(\s|$)/.test(text) && text.includes('\n')) attempts.push([text, 'yaml'])
  for (const [source, format] of attempts) {
    const { value, errors } = await parseSource(source, format)
    if (errors.length === 0 && typeof value === 'object' && value !== null) return value as Values
  }
  return undefined
}

async function fromObject(value: Values, text: string, options: UnderstandOptions): Promise<Understanding> {
  if (typeof (value.openapi ?? value.swagger) === 'string' && (value.paths || value.info)) {
    const document = await keepDescription(text, options.stateDir)
    const { title } = (value.info ?? {}) as { title?: unknown }
    const name =
      options.name ?? (typeof title === 'string' ? title : 'api').toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
    return one({ ...options, name }, { entry: { openapi: { document } }, source: 'an OpenAPI description' })
  }
  const list = serversOf(value)
  if (!list) {
    return refuse(options, 'This is neither an mcpServers snippet, nor a server, nor an OpenAPI description')
  }
  const candidates: Candidate[] = []
  const refused: { name: string; reason: string }[] = []
  for (const [name, entry] of Object.entries(list)) {
    const found = toEntry(entry, options.places)
    const wanted = name === '' ? options.name : Object.keys(list).length === 1 ? (options.name ?? name) : name
    if ('reason' in found) refused.push({ name, reason: found.reason })
    else
      candidates.push({ name: wanted ?? guessName(found.entry), ...found, source: 'an mcpServers snippet' })
  }
  return { candidates, refused }
}

/** Clients put their servers under different keys, or paste a single one. */
function serversOf(value: Values): Values | undefined {
  const nested =
    value.mcpServers ?? value.servers ?? (value.mcp as Values | undefined)?.servers ?? value.context_servers
  if (typeof nested === 'object' && nested !== null) return nested as Values
  if (isEntry(value)) return { [typeof value.name === 'string' ? value.name : '']: value }
  const parts = Object.values(value)
  return parts.length > 0 && parts.every(isEntry) ? value : undefined
}

function isEntry(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return ['command', 'url', 'httpUrl', 'serverUrl', 'module', 'openapi', 'replay'].some((key) =>
    Object.hasOwn(value, key),
  )
}

function toEntry(
  value: unknown,
  places: UserPlaces,
): { entry: RawTarget; notes: readonly string[] } | { reason: string } {
  const { name: _, ...entry } = (value ?? {}) as Values
  // Entries that only the gateway has are ours already.
  if (['module', 'openapi', 'replay'].some((key) => Object.hasOwn(entry, key))) {
    return { entry: entry as RawTarget, notes: [] }
  }
  const translated = translateEntry(entry, { client: 'mcp-json', home: places.home, folder: undefined })
  if (!translated.ok) return { reason: translated.reason }
  const ours = [
    'title',
    'prefix',
    'isolation',
    'start',
    'era',
    'timeouts',
    'tools',
    'prompts',
    'resources',
  ] as const
  const kept = Object.fromEntries(ours.filter((key) => key in entry).map((key) => [key, entry[key]]))
  const notes = translated.notes.filter((note) => !ours.some((key) => note.startsWith(`"${key}"`)))
  return { entry: { ...translated.target, ...kept }, notes }
}

async function keepDescription(text: string, stateDir: string): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  const file = join(stateDir, 'openapi', `${hash}.${text.startsWith('{') ? 'json' : 'yaml'}`)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeFile(file, text, { mode: 0o600 })
  return file
}

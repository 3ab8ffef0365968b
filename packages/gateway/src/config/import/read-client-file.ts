import { readSmallFile } from '../../model/index.ts'
import type { ConfigPath } from '../problem.ts'
import { parseSource } from '../document/parse-source.ts'
import { formatOf } from '../document/source-document.ts'
import type { ClientFile } from './clients.ts'

export interface ServerList {
  readonly path: ConfigPath
  readonly servers: Readonly<Record<string, unknown>>
  readonly folder: string | undefined
  /** The editor's suggested answers to its questions, by their ids (VS Code, `inputs`). */
  readonly defaults: ReadonlyMap<string, string>
}

export interface ReadClientFile extends ClientFile {
  readonly text: string
  readonly lists: readonly ServerList[]
  readonly error: string | undefined
}

/** Undefined when there is no such file. */
export async function readClientFile(source: ClientFile): Promise<ReadClientFile | undefined> {
  let text: string
  try {
    text = await readSmallFile(source.file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return { ...source, text: '', lists: [], error: message }
  }
  const document = await parseSource(text.replace(/^\uFEFF/, ''), formatOf(source.file, text))
  // Clients make their files empty, too: that is a list without servers.
  if (text.trim() === '') return { ...source, text, lists: [], error: undefined }
  const error = document.errors[0]?.message
  return {
    ...source,
    text,
    lists: error === undefined ? findLists(document.value, source.folder) : [],
    error,
  }
}

/** Every spelling at once: a file that is passed by name may be of any client. */
function findLists(value: unknown, folder: string | undefined): ServerList[] {
  const paths = [['mcpServers'], ['servers'], ['mcp', 'servers']]
  const lists = paths.flatMap((path) => listAt(value, path, folder))
  // Claude Code keeps the lists of all projects in one file.
  const projects = Object.keys(recordAt(value, ['projects']) ?? {})
  return [...lists, ...projects.flatMap((name) => listAt(value, ['projects', name, 'mcpServers'], name))]
}

function listAt(value: unknown, path: string[], folder: string | undefined): ServerList[] {
  const servers = recordAt(value, path)
  if (!servers) return []
  const beside = path.length > 1 ? recordAt(value, path.slice(0, -1)) : value
  return [{ path, servers, folder, defaults: inputDefaults(beside) }]
}

/** The presets of `promptString` and `pickString`. The preset of a password is not kept. */
function inputDefaults(value: unknown): Map<string, string> {
  const { inputs } = (value ?? {}) as { inputs?: unknown }
  const defaults = new Map<string, string>()
  for (const input of Array.isArray(inputs) ? inputs : []) {
    const { id, default: preset, password } = (input ?? {}) as Record<string, unknown>
    if (typeof id === 'string' && typeof preset === 'string' && password !== true) defaults.set(id, preset)
  }
  return defaults
}

function recordAt(value: unknown, path: readonly string[]): Record<string, unknown> | undefined {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return typeof at === 'object' && at !== null && !Array.isArray(at)
    ? (at as Record<string, unknown>)
    : undefined
}

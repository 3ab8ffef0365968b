import { dirname } from 'node:path'
import { isSame, schemeOf, type GatewayModel } from '../../model/index.ts'
import { editConfig } from '../edit/edit-config.ts'
import { formatOf } from '../document/source-document.ts'
import type { ConfigPath } from '../problem.ts'
import { type ClientId, findClient } from './clients.ts'
import type { ReadClientFile, ServerList } from './read-client-file.ts'

export interface GatewayAddress {
  /** Undefined when the gateway takes any free port: then only spawning it works. */
  readonly url: string | undefined
  readonly configFile: string
  readonly needsKey: boolean
  /** The command that runs Gantry, and its first arguments; without it, npx fetches it. */
  readonly launcher?: readonly [string, ...string[]] | undefined
}

export interface Served {
  /** Where a gateway with this configuration listens now; it may have been given another port. */
  readonly runningAt?: string | undefined
  readonly launcher?: readonly [string, ...string[]] | undefined
}

export function addressOf(model: GatewayModel, configFile: string, served: Served = {}): GatewayAddress {
  const { host, port, publicUrl } = model.server
  const isAnyAddress = ['0.0.0.0', '::', '[::]', ''].includes(host)
  const name = isAnyAddress ? '127.0.0.1' : host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const configured = port === 0 ? undefined : `${schemeOf(model.server)}://${name}:${port}`
  const base = publicUrl?.replace(/\/+$/, '') ?? served.runningAt ?? configured
  return { url: base && `${base}/mcp`, configFile, needsKey: model.auth.required, launcher: served.launcher }
}

/** The entry that takes the place of all servers. */
export function gatewayEntry(
  client: ClientId,
  { url, configFile, launcher }: GatewayAddress,
): Record<string, unknown> {
  if (findClient(client)?.reach === 'stdio' || url === undefined) {
    const [command, ...args] = launcher ?? ['npx', '-y', 'gantry']
    return { command, args: [...args, 'serve', '--stdio', '--config', configFile] }
  }
  if (client === 'cursor') return { url }
  if (client === 'windsurf') return { serverUrl: url }
  return { type: 'http', url }
}

/** Whether an entry leads to the gateway: importing it would make a circle. */
export function isGatewayEntry(entry: unknown, address: GatewayAddress): boolean {
  const { url, serverUrl, args } = (entry ?? {}) as { url?: unknown; serverUrl?: unknown; args?: unknown }
  if (address.url !== undefined && (url === address.url || serverUrl === address.url)) return true
  if (!Array.isArray(args) || !args.includes('serve')) return false
  return args.some((arg) => typeof arg === 'string' && /^(.*[\\/])?gantry(@[^\\/]+|\.[cm]?[jt]s)?$/.test(arg))
}

/** A change of one list in a client's file; what undoing it needs when the file was changed since. */
export interface ListChange {
  readonly path: ConfigPath
  readonly before: Readonly<Record<string, unknown>>
  readonly after: Readonly<Record<string, unknown>>
}

export interface PointedFile {
  readonly text: string
  readonly lists: readonly ListChange[]
}

/** Takes servers out of a client's file and puts the gateway in; undefined when that changes nothing. */
export async function pointFile(
  source: ReadClientFile,
  moved: ReadonlyMap<ServerList, ReadonlySet<string>>,
  gateway: { entry: Record<string, unknown>; isPlaced: boolean },
): Promise<PointedFile | undefined> {
  const home = source.lists.find((list) => list.path[0] !== 'projects') ?? newList(source)
  const lists = [home, ...source.lists.filter((list) => list !== home)].flatMap((list): ListChange[] => {
    const gone = moved.get(list) ?? new Set()
    const kept = Object.entries(list.servers).filter(([name]) => !gone.has(name))
    const added = list === home && !gateway.isPlaced ? [[entryName(kept, gateway.entry), gateway.entry]] : []
    const after = Object.fromEntries([...kept, ...added])
    return isSame(list.servers, after) ? [] : [{ path: list.path, before: list.servers, after }]
  })
  if (lists.length === 0) return undefined
  return { text: await writeLists(source.text, source.file, lists, 'after'), lists }
}

/** Sets every list to its state before or after. */
export async function writeLists(
  text: string,
  file: string,
  lists: readonly ListChange[],
  state: 'before' | 'after',
): Promise<string> {
  let edited = text
  for (const list of lists) {
    const result = await editConfig(edited, formatOf(file, edited), {
      type: 'set',
      path: list.path,
      value: list[state],
    })
    if (!result.ok) throw new Error(`${file}: ${result.reason}`)
    edited = result.text
  }
  return edited
}

/** Where several files of one folder belong to one client (VS Code), the gateway is put into the first. */
export function placeOf(source: ReadClientFile): string {
  return `${source.client} ${dirname(source.file)}`
}

function newList({ client }: ReadClientFile): ServerList {
  return {
    path: [client === 'vscode' ? 'servers' : 'mcpServers'],
    servers: {},
    folder: undefined,
    defaults: new Map(),
  }
}

function entryName(kept: readonly (readonly [string, unknown])[], entry: unknown): string {
  const rival = kept.find(([name]) => name === 'gantry')
  return rival && !isSame(rival[1], entry) ? 'gantry-gateway' : 'gantry'
}

import { findClient } from './clients.ts'
import type { FileChange, ImportItem, ImportOptions } from './import-plan.ts'
import { gatewayEntry, type GatewayAddress, placeOf, pointFile } from './point-client.ts'
import type { ReadClientFile, ServerList } from './read-client-file.ts'

/** What has to change in the clients' files so that they use the gateway instead of their servers. */
export async function planPointing(
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

import { ownArray, ownObject, ownString } from '../own.ts'
import type { ServerObject } from './operation.ts'

export function readServers(holder: unknown): ServerObject[] {
  const servers: ServerObject[] = []
  for (const server of ownArray(holder, 'servers')) {
    const url = ownString(server, 'url')
    if (url !== undefined) servers.push({ url, variables: ownObject(server, 'variables') ?? {} })
  }
  return servers
}

import type { Client } from '@gantry/mcp/client'
import type { JsonObject } from '../contract.ts'

export interface WatchOptions {
  readonly signal: AbortSignal
  notify(notification: { method: string; params?: JsonObject }): void
}

const CHANGES = [
  ['toolsListChanged', 'toolsChanged', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'promptsChanged', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'resourcesChanged', 'notifications/resources/list_changed'],
] as const

/** Subscribes in the way of the client's era and reports what comes until it is cancelled. */
export async function watchResources(
  client: Client,
  params: JsonObject,
  { signal, notify }: WatchOptions,
): Promise<JsonObject> {
  const wanted = (params.notifications ?? {}) as JsonObject
  const listed = Array.isArray(wanted.resourceSubscriptions) ? wanted.resourceSubscriptions : []
  const uris = typeof params.uri === 'string' ? [params.uri] : listed.map(String)
  client.on('resourceUpdated', ({ uri }) =>
    notify({ method: 'notifications/resources/updated', params: { uri } }),
  )
  for (const [filter, event, method] of CHANGES) {
    if (wanted[filter] === true) client.on(event, () => notify({ method }))
  }
  for (const uri of uris) await client.subscribe(uri, { signal })
  // There is no result but the end: `cancel` rejects this.
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

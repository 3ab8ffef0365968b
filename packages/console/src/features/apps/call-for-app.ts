import { call } from '../../api/call.ts'
import type { JsonObject } from '../../api/contract.ts'
import { catalogQuery, queryClient } from '../../api/queries.ts'
import { callEvents, startCall } from '../playground/call/start-call.ts'

/** The name that clients use for a tool of a target which a view may call; throws when there is none. */
export async function toolForApp(target: string, own: string): Promise<string> {
  const { entries } = await queryClient.ensureQueryData(catalogQuery)
  const entry = entries.find((one) => one.kind === 'tool' && one.target === target && one.own === own)
  if (!entry?.visible) throw new Error(`There is no tool "${own}" for this view`)
  const { definition } = await call('catalogEntry', { query: { kind: 'tool', key: entry.key } })
  const ui = (definition._meta as JsonObject | undefined)?.ui as JsonObject | undefined
  const { visibility } = ui ?? {}
  // Tools that say for whom they are have to name views (SEP-1865, Visibility).
  if (Array.isArray(visibility) && !visibility.includes('app'))
    throw new Error(`The tool "${own}" is not for views`)
  return entry.key
}

/** Makes a call for a view, as the client that the playground pretends to be. */
export async function callForApp(name: string, args: JsonObject, signal: AbortSignal): Promise<JsonObject> {
  const id = await startCall({ method: 'tools/call', params: { name, arguments: args } })
  for await (const event of callEvents(id, signal)) {
    if (event.type === 'result') return event.result
    if (event.type === 'error') throw new Error(event.error.message)
  }
  throw new Error('The call was cancelled')
}

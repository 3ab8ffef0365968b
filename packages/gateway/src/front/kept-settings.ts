import { createHash } from 'node:crypto'
import { parseJson } from '@gantry/mcp/foreign'
import type { HttpServiceOptions } from '@gantry/mcp/server'
import type { Store } from '../store/index.ts'

export type KeptSettings = NonNullable<NonNullable<HttpServiceOptions['sessions']>['settings']>
type Settings = Awaited<ReturnType<KeptSettings['find']>>

/** As long as the id of a session is valid. */
const KEPT_FOR = 7 * 24 * 3_600_000
/** A client that follows more than fits in here asks again when its gateway has ended. */
const MOST_CHARACTERS = 100_000
const MOST_SESSIONS = 20_000

/** Log levels and followed resources of older clients, in the store: another gateway may take their sessions up. */
export function keptSettings(store: Store): KeptSettings | undefined {
  if (store.kind === 'memory') return undefined
  const rows = store.rows({ name: 'session-settings', secret: true, maxRows: MOST_SESSIONS })
  const keyOf = (session: string): string => createHash('sha256').update(session).digest('base64url')
  return {
    // A store that is away, or full, is no reason to refuse what works here.
    async keep(session, settings) {
      const text = settings && JSON.stringify(settings)
      const isKept = text !== undefined && text.length <= MOST_CHARACTERS
      const written = isKept ? rows.put(keyOf(session), text, { ttl: KEPT_FOR }) : rows.remove(keyOf(session))
      await written.catch(() => {})
    },
    async find(session) {
      const row = await rows.get(keyOf(session)).catch(() => undefined)
      return row && (parseJson(row.value) as Settings)
    },
  }
}

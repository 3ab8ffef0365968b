import { createHash } from 'node:crypto'
import { parseJson } from '@gantry/mcp/foreign'
import type { HttpServiceOptions } from '@gantry/mcp/server'
import type { Store } from '../store/index.ts'
import { EndedSessions } from './ended-sessions.ts'

export type KeptSettings = NonNullable<NonNullable<HttpServiceOptions['sessions']>['settings']>
type Settings = Awaited<ReturnType<KeptSettings['find']>>

/** As long as the id of a session is valid. */
const KEPT_FOR = 7 * 24 * 3_600_000
/** A client that follows more than fits in here asks again when its gateway has ended. */
const MOST_CHARACTERS = 100_000
const MOST_SESSIONS = 20_000
const MOST_ENDED = 100_000

/**
 * Log levels and followed resources of older clients, and which sessions have ended, in the store: another gateway may
 * take their sessions up.
 */
export function keptSettings(store: Store): KeptSettings | undefined {
  if (store.kind === 'memory') return undefined
  const rows = store.rows({ name: 'session-settings', secret: true, maxRows: MOST_SESSIONS })
  const over = new EndedSessions(
    store.rows({ name: 'ended-sessions', maxRows: MOST_ENDED, maxValueBytes: 8 }),
  )
  return {
    // A store that is away, or full, is no reason to refuse what works here.
    async keep(session, settings) {
      const text = JSON.stringify(settings)
      const isKept = text.length <= MOST_CHARACTERS
      const key = keyOf(session)
      const written = isKept ? rows.put(key, text, { ttl: KEPT_FOR }) : rows.remove(key)
      await written.catch(() => {})
    },
    async end(session) {
      const key = keyOf(session)
      await Promise.allSettled([over.add(key), rows.remove(key)])
    },
    async find(session) {
      const key = keyOf(session)
      const [ended, row] = await Promise.all([over.has(key), rows.get(key)]).catch(() => [])
      return ended ? 'ended' : row && (parseJson(row.value) as Settings)
    },
  }
}

/** An id without the mark at its end names the same session: clients can take the mark off. */
function keyOf(session: string): string {
  return createHash('sha256').update(session.split('~', 1)[0]!).digest('base64url')
}

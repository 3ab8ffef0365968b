import { createHash } from 'node:crypto'
import { parseJson } from '@gantry/mcp/foreign'
import type { HttpServiceOptions } from '@gantry/mcp/server'
import type { Store } from '../store/index.ts'

export type KeptAnswers = NonNullable<NonNullable<HttpServiceOptions['events']>['answers']>
type SentEvents = NonNullable<ReturnType<Parameters<KeptAnswers['keep']>[1]['after']>>

const KEPT_FOR = 5 * 60_000
/** Longer answers are kept only by the process that made them. */
const MOST_CHARACTERS = 1_000_000
const MOST_ANSWERS = 2_000

/**
 * Answers whose clients of the older era were gone, in the store: such a client may come back when the gateway that
 * made the answer has ended. Calls whose clients are there do not touch the store.
 */
export function keptAnswers(store: Store): KeptAnswers | undefined {
  if (store.kind === 'memory') return undefined
  const rows = store.rows({ name: 'answers', secret: true, maxRows: MOST_ANSWERS })
  const keyOf = (session: string, stream: string): string =>
    createHash('sha256').update(`${session} ${stream}`).digest('base64url')
  return {
    keep(session, log) {
      const text = JSON.stringify(log.after(0) ?? [])
      if (text.length > MOST_CHARACTERS) return
      // When it cannot be kept, its client learns that the answer is gone.
      rows.put(keyOf(session, log.streamId), text, { ttl: KEPT_FOR }).catch(() => {})
    },
    async find(session, lastEventId) {
      const end = lastEventId.lastIndexOf('_')
      const row = await rows.get(keyOf(session, lastEventId.slice(0, end))).catch(() => undefined)
      const events = row ? (parseJson(row.value) as SentEvents) : []
      const numberOf = (id: string): number => Number(id.slice(end + 1))
      const missed = events.filter(({ id }) => numberOf(id) > numberOf(lastEventId))
      return missed.map(({ id, text }) => `id: ${id}\ndata: ${text}\n\n`).join('')
    },
  }
}

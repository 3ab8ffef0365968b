import type { Exchange } from '../../exchange/index.ts'
import { senderKey } from '../../protocol/callers.ts'
import { eraOf } from '../../protocol/revisions.ts'
import { parseDuration } from '../../protocol/parse-duration.ts'
import type { Store } from '../store.ts'
import type { Questions } from './questions.ts'
import type { CallerState } from './kept-values.ts'
import { isInStep } from './step-scope.ts'

export function createCallerState(exchange: Exchange, store: Store, questions: () => Questions): CallerState {
  const step: Questions['step'] = async (name, run) => (isInStep() ? run() : questions().step(name, run))
  const host = { owner: ownerOf(exchange), store, step, parseDuration }
  const kept = async () => (await import('./kept-values.ts')).keptValues(host)
  return {
    get: async (key) => (await kept()).get(key),
    set: async (key, value, options) => (await kept()).set(key, value, options),
    delete: async (key) => (await kept()).delete(key),
  }
}

/** The principal; without one the session, or the connection where it lasts. */
function ownerOf(exchange: Exchange): string | undefined {
  const { auth, client, session, connection, ask } = exchange
  if (auth) return senderKey(exchange)
  // Without sessions, HTTP makes one for each request, and nothing can be asked.
  const isLasting = eraOf(client.version) === 'legacy' && ask
  return isLasting ? `session ${session}` : connection && `session ${connection}`
}

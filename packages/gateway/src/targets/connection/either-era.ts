import type { Exchange, Outcome } from '@gantry/mcp/exchange'
import type { Connection, ConnectionChoice } from './isolation.ts'
import { askedByReturning, failedToAsk, withAdvice } from './live-questions.ts'
import type { EraHost, OlderEra } from './older-era.ts'
import { continuesCall } from './pool.ts'

export interface EitherEraHost {
  readonly connections: Omit<EraHost, 'acquire'> & { readonly olderEra: OlderEra }
  readonly choice: ConnectionChoice
  readonly acquire: EraHost['acquire']
  /** Sends the exchange on this connection. */
  send(connection: Connection): Promise<Outcome>
  /** Sends the exchange once more, with what is known by then. */
  sendAgain(): Promise<Outcome>
}

interface EraNeeds {
  /** True: use the older era; false: use the newer era. */
  readonly older?: boolean | undefined
  /** Whether the request may be repeated. */
  readonly safe: boolean
}

/** Sends an exchange to a server that has both eras, or may have both. */
export function sendInEitherEra(
  exchange: Exchange,
  wantsOlder: boolean,
  needs: EraNeeds,
  host: EitherEraHost,
): Promise<Outcome> {
  const { connections, choice } = host
  const { olderEra } = connections
  const connection = choice.for(exchange, wantsOlder)
  if (wantsOlder && !continuesCall(exchange)) return sendToOlder(connection, exchange, needs, host)
  const outcome = host.send(connection)
  const mayAskOlder = olderEra.hasNewer && needs.older === undefined && olderEra.mayFailToAsk(exchange)
  return mayAskOlder ? orAskOlder(outcome, exchange, needs, host) : outcome
}

async function sendToOlder(
  connection: Connection,
  exchange: Exchange,
  { safe }: EraNeeds,
  { connections, choice, acquire, send }: EitherEraHost,
): Promise<Outcome> {
  const { olderEra, model, pool } = connections
  const era = { model, pool, acquire }
  let older = await olderEra.connectionFor(connection, exchange, era)
  // Another call may have taken the connection while it was made.
  const now = older && !connection.isOwn ? choice.for(exchange, true) : connection
  if (now.key !== connection.key) older = await olderEra.connectionFor(now, exchange, era)
  if (older === undefined) return send(now)
  choice.usesOlder(exchange)
  const outcome = await send(older)
  const needsNewer = olderEra.needsNewer(exchange, outcome)
  if (!needsNewer) return outcome
  // A server at a URL has no stderr that we could read. With the SDK that gives this answer, hardly anything else ends
  // like this.
  const hasAsked =
    safe || needsNewer === 'named' || model.kind === 'url' || (await askedByReturning(stderrOf(older, pool)))
  return hasAsked ? send(choice.for(exchange, false)) : withAdvice(outcome, 'newer')
}

/** The lines that a connection's program wrote to stderr. The program of a single call may have ended. */
function stderrOf({ key, isOwn }: Connection, pool: EraHost['pool']): (() => readonly string[]) | undefined {
  return isOwn ? undefined : pool.get(key).connection?.process?.stderrTail
}

/** A call that failed because the server can ask in the older era only is made there, at once where that is safe. */
async function orAskOlder(
  answering: Promise<Outcome>,
  exchange: Exchange,
  { safe }: EraNeeds,
  { connections, choice, acquire, sendAgain }: EitherEraHost,
): Promise<Outcome> {
  const { olderEra, model, pool } = connections
  const isLive = (): boolean => olderEra.wants(exchange, safe)
  try {
    const outcome = await answering
    if (!failedToAsk(outcome, choice.hasAsked(exchange))) return outcome
    choice.learnLive(exchange)
    if (!isLive()) return outcome
    if (!safe)
      return (await olderEra.isThere(exchange, { model, pool, acquire }))
        ? withAdvice(outcome, 'older')
        : outcome
  } catch (thrown) {
    if (!safe || !isLive()) throw thrown
  }
  return sendAgain()
}

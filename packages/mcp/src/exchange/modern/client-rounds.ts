import type { JsonObject } from '../../jsonrpc/index.ts'
import { pause } from '../plain-exchange.ts'
import { tooManyRounds } from '../client/client-edge.ts'
import type { Exchange, InputRequired, Outcome } from '../exchange.ts'

export type SendRound = (params: JsonObject) => Promise<Outcome>

/** Sends a request and plays its rounds when the caller can answer (2026-07-28, basic/patterns/mrtr). */
export async function playModernRounds(exchange: Exchange, send: SendRound, limit: number): Promise<Outcome> {
  const outcome = await send(exchange.params)
  return outcome.type === 'input_required' ? playFurtherRounds(outcome, exchange, send, limit) : outcome
}

export async function playFurtherRounds(
  first: InputRequired,
  exchange: Exchange,
  send: SendRound,
  limit: number,
): Promise<Outcome> {
  let outcome: Outcome = first
  let idleRounds = 0
  for (let round = 1; outcome.type === 'input_required' && exchange.ask; round++) {
    if (round > limit) throw tooManyRounds(exchange.method, limit)
    if (outcome.inputRequests) idleRounds = 0
    else if (idleRounds++ > 0) await pause(delayBefore(idleRounds - 1), exchange.signal)
    outcome = await send(await retryParams(exchange, outcome))
  }
  return outcome
}

async function retryParams(exchange: Exchange, outcome: InputRequired): Promise<JsonObject> {
  const params: JsonObject = { ...exchange.params }
  delete params.inputResponses
  delete params.requestState
  if (outcome.inputRequests) {
    params.inputResponses = await exchange.ask?.(outcome.inputRequests, exchange.signal)
  }
  if (outcome.requestState !== undefined) params.requestState = outcome.requestState
  return params
}

/** A server that returns state and no questions is overloaded. The first retry comes at once; later retries wait. */
function delayBefore(idleRound: number): number {
  return Math.min(100 * 2 ** (idleRound - 1), 5_000)
}

import { McpError, MISSING_CLIENT_CAPABILITY, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import type { ClientCapabilities } from '../../protocol/index.ts'
import { missingCapabilities } from '../message-hints.ts'
import { failure, MAX_ROUNDS, type InputRequests, type InputResponses, type Outcome } from '../exchange.ts'

export interface RoundsHost {
  /** Asks the peer; absent where it cannot be asked. */
  ask: ((requests: InputRequests) => Promise<InputResponses>) | undefined
  capabilities: ClientCapabilities
  again(answered: JsonObject): Outcome | Promise<Outcome>
}

/** Plays `input_required` outcomes as questions until the call ends in something else. */
export async function playRounds(first: Outcome | Promise<Outcome>, host: RoundsHost): Promise<Outcome> {
  let outcome = await first
  for (let round = 0; outcome.type === 'input_required'; round++) {
    if (round === MAX_ROUNDS) {
      return failure(ProtocolError.from(new McpError('too_many_rounds', `No result after ${round} rounds`)))
    }
    const { inputRequests, requestState } = outcome
    const missing = inputRequests && missingCapabilities(inputRequests, host.capabilities)
    if (missing) return failure(lacking(missing))
    const answered: JsonObject = {}
    try {
      if (inputRequests) {
        if (!host.ask) return failure(lacking({}))
        answered.inputResponses = await host.ask(inputRequests)
      }
    } catch (error) {
      return failure(ProtocolError.from(error), error)
    }
    if (requestState !== undefined) answered.requestState = requestState
    outcome = await host.again(answered)
  }
  return outcome
}

function lacking(requiredCapabilities: ClientCapabilities): ProtocolError {
  return new ProtocolError(
    MISSING_CLIENT_CAPABILITY,
    'The client lacks a capability that this request needs',
    { requiredCapabilities },
  )
}

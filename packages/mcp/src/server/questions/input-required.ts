import type { InputRequests, InputRequired } from '../../exchange/index.ts'

/**
 * The return value of a handler that asks by hand. The call comes again with `ctx.inputResponses` and `ctx.roundState`.
 */
export class HandMadeRound {
  readonly requests: InputRequests | undefined
  readonly state: unknown

  constructor(requests: InputRequests | undefined, state: unknown) {
    this.requests = requests
    this.state = state
  }
}

/** Asks the client by hand. The sealed `state` comes back as `ctx.roundState` with `ctx.inputResponses`. */
export function inputRequired(requests?: InputRequests, state?: unknown): HandMadeRound {
  return new HandMadeRound(requests, state)
}

export function isInputRequired(value: unknown): value is HandMadeRound {
  return value instanceof HandMadeRound
}

/** A call that waits for its next round. A class, as values of handlers may have any `type`. */
export class Suspended implements InputRequired {
  readonly type = 'input_required'
  readonly requestState: string
  declare readonly inputRequests?: InputRequests

  constructor(requestState: string, inputRequests?: InputRequests) {
    this.requestState = requestState
    if (inputRequests) this.inputRequests = inputRequests
  }
}

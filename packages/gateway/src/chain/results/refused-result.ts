import { INTERNAL_ERROR, ProtocolError } from '@gantry/mcp/exchange'

/** A result, or a part of what a target says, that a rule keeps from its caller. */
export class RefusedResult extends ProtocolError {
  constructor(what: string) {
    super(INTERNAL_ERROR, `The gateway withholds this result: ${what}. Ask its operator if you need it.`, {
      reason: 'withheld',
    })
    this.name = 'RefusedResult'
  }
}

import { McpError } from '../jsonrpc/index.ts'

/** The user said no, or closed the question. Left uncaught, it becomes a clean tool result. */
export class Declined extends McpError {
  readonly action: 'decline' | 'cancel'

  constructor(action: 'decline' | 'cancel', question: string) {
    const verb = action === 'decline' ? 'declined' : 'cancelled'
    super('declined', `The user ${verb}: ${question}`)
    this.name = 'Declined'
    this.action = action
  }
}

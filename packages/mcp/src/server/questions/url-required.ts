import { ProtocolError, URL_ELICITATION_REQUIRED } from '../../jsonrpc/index.ts'

/** A page that the user has to visit, for example to sign in. */
export interface PageToVisit {
  message: string
  url: string
  /** For `app.notifyElicitationComplete(id)`; random when absent. */
  elicitationId?: string
}

/**
 * Thrown by a handler that can do nothing before its user has visited a page. Afterwards the call starts anew. Clients
 * of 2025-11-25 get error −32042, newer clients a question.
 */
export class UrlElicitationRequired extends ProtocolError {
  constructor(pages: readonly PageToVisit[], message: string = 'The user has to visit a page first') {
    const elicitations = pages.map((page) => ({ mode: 'url', elicitationId: crypto.randomUUID(), ...page }))
    super(URL_ELICITATION_REQUIRED, message, { elicitations })
  }
}

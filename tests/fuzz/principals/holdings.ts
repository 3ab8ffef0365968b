const MOST = 50

/** Something that a server asked in a session, waiting for an answer. */
export interface Question {
  readonly id: unknown
  readonly session: string | undefined
}

/** Handles that one person was given. The other person tries to use them. */
export class Holdings {
  readonly sessions: string[] = []
  readonly states: { state: string; keys: string[] }[] = []
  readonly tasks: string[] = []
  readonly cursors: string[] = []
  readonly events: string[] = []
  readonly questions: Question[] = []
  readonly addresses: string[] = []
  /** URIs of long results. */
  readonly results: string[] = []
  /** Calls that ended in an `input_required`, to be made again with the answers. */
  lastCall: { path: string; method: string; params: Record<string, unknown> } | undefined

  /** Takes every handle out of what a person received. */
  read(text: string, session: string | undefined): void {
    for (const [, event] of text.matchAll(/^id: (.+)$/gm)) keep(this.events, event!)
    for (const [, address] of text.matchAll(/^data: (\/\S*gantry-sse=\S+)$/gm)) keep(this.addresses, address!)
    for (const [uri] of text.matchAll(/gantry-result:[\w-]+/g))
      if (!this.results.includes(uri)) keep(this.results, uri)
    for (const [, json] of text.matchAll(/^(?:data: )?(\{.*\})$/gm)) this.#message(json!, session)
  }

  #message(json: string, session: string | undefined): void {
    let message: Record<string, unknown> & {
      result?: Record<string, unknown>
      params?: Record<string, unknown>
    }
    try {
      message = JSON.parse(json)
    } catch {
      return
    }
    if (message.id !== undefined && message.method !== undefined)
      keep(this.questions, { id: message.id, session })
    const { result } = message
    if (typeof result?.requestState === 'string') {
      keep(this.states, { state: result.requestState, keys: Object.keys(result.inputRequests ?? {}) })
    }
    if (typeof result?.taskId === 'string') keep(this.tasks, result.taskId)
    if (typeof result?.nextCursor === 'string') keep(this.cursors, result.nextCursor)
  }
}

export function keep<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > MOST) list.shift()
}

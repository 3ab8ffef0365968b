import type { AuthInfo, ClientFacts, Exchange, Notification } from '../../exchange/index.ts'
import { isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'
import type { LoggingLevel } from '../../protocol/index.ts'
import type { LiveTask } from './live-task.ts'

/** Makes handlers report progress although the client did not ask: it becomes the task's status message. */
const OWN_TOKEN = 'task'

/**
 * A request that is, or may become, a task. Until then it lives and dies with the client's request; from then
 * on it outlives it, and can be asked while it runs.
 */
export class TaskExchange implements Exchange {
  readonly method: string
  readonly params: JsonObject
  readonly client: ClientFacts
  readonly auth: AuthInfo | undefined
  readonly logLevel: LoggingLevel | undefined
  readonly serverContext: unknown
  readonly headers: Readonly<Record<string, string | undefined>> | undefined
  readonly session: string | undefined
  ask: Exchange['ask']
  readonly #origin: Exchange
  readonly #abort = new AbortController()
  readonly #onOriginAbort = (): void => this.#abort.abort(this.#origin.signal.reason)
  #task: LiveTask | undefined

  constructor(origin: Exchange, params: JsonObject = origin.params) {
    this.#origin = origin
    this.method = origin.method
    this.params = withProgressToken(params)
    this.client = origin.client
    this.auth = origin.auth
    this.logLevel = origin.logLevel
    this.serverContext = origin.serverContext
    this.headers = origin.headers
    this.session = origin.session
    if (origin.signal.aborted) this.#onOriginAbort()
    else origin.signal.addEventListener('abort', this.#onOriginAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  notify(notification: Notification): void {
    const { method, params = {} } = notification
    const isProgress = method === 'notifications/progress'
    if (isProgress) this.#task?.describe(describeProgress(params))
    if (isProgress && params.progressToken === OWN_TOKEN) return
    // Tasks have neither progress nor log notifications (SEP-2663, Task Status Notifications); those of
    // 2025-11-25 had both.
    if (this.#task) this.#task.say(notification)
    else this.#origin.notify(notification)
  }

  /** From now on the request is this task. */
  join(task: LiveTask): this {
    this.#task = task
    this.#origin.signal.removeEventListener('abort', this.#onOriginAbort)
    const onAbort = (): void => this.#abort.abort(task.signal.reason)
    if (task.signal.aborted) onAbort()
    else task.signal.addEventListener('abort', onAbort, { once: true })
    this.ask = (requests, signal = this.signal) => task.ask(requests, signal)
    return this
  }
}

function withProgressToken(params: JsonObject): JsonObject {
  const meta = isJsonObject(params._meta) ? params._meta : {}
  if (meta.progressToken !== undefined) return params
  return { ...params, _meta: { ...meta, progressToken: OWN_TOKEN } }
}

function describeProgress({ message, progress, total }: JsonObject): string {
  if (typeof message === 'string') return message
  return total === undefined ? String(progress) : `${progress} of ${total}`
}

import { McpError, type Client } from '@gantry/mcp/client'
import { writeJson, isJsonObject, ProtocolError } from '@gantry/mcp/exchange'
import { createTaskClient } from '@gantry/mcp/extensions/tasks'
import type {
  JsonObject,
  PlaygroundCall,
  PlaygroundCallDetail,
  PlaygroundEvent,
  StartCall,
  StreamItem,
  PlaygroundError,
} from '../contract.ts'
import { TargetError } from '../../targets/target-error.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'
import { Channel } from '../events/channel.ts'
import { Questions } from './questions.ts'

type NewEvent = PlaygroundEvent extends infer Event
  ? Event extends PlaygroundEvent
    ? Omit<Event, 'seq' | 'at'>
    : never
  : never

const CANCELLED = new McpError('cancelled', 'The call was cancelled in the playground')

/** Events of one call; endless progress must not fill the memory. */
const MAX_EVENTS = 2000

export class PlaygroundRun {
  readonly id: string
  readonly request: StartCall
  readonly startedAt: number = Date.now()
  readonly records: Set<number> = new Set()
  /** Its last exchange that went to a target. */
  record: ExchangeRecord | undefined
  /** About what the result takes; known when it is over. */
  size = 0
  readonly questions: Questions
  onChange: (() => void) | undefined
  readonly #events: PlaygroundEvent[] = []
  readonly #readers = new Set<Channel<StreamItem<PlaygroundEvent>>>()
  readonly #abort = new AbortController()
  #status: PlaygroundCall['status'] = 'running'
  #duration: number | undefined
  #isTask = false
  #seq = 0

  constructor(id: string, request: StartCall) {
    this.id = id
    this.request = request
    this.questions = new Questions({
      target: () => this.record?.target,
      asked: (question) => {
        this.#emit({ type: 'question', question })
        this.onChange?.()
      },
      answered: (question, answer) => {
        this.#emit({ type: 'answered', question, answer })
        this.onChange?.()
      },
      withdrawn: (question) => {
        this.#emit({ type: 'withdrawn', question })
        this.onChange?.()
      },
    })
  }

  get isOver(): boolean {
    return this.#duration !== undefined
  }

  /** Never rejects: how it ended is an event. */
  async run(client: Client): Promise<void> {
    const tasksSettled = this.#followTasks(client)
    try {
      await client.connect(undefined, { signal: this.#abort.signal })
      this.#emit({
        type: 'connected',
        era: client.era!,
        revision: client.protocolVersion!,
        ...(client.serverInfo && { serverInfo: client.serverInfo as unknown as JsonObject }),
      })
      client.on('notification', ({ method, params }) =>
        this.#emit({ type: 'notification', method, ...(params && { params }) }),
      )
      const result = await this.#send(client)
      this.#end(result.isError === true ? 'tool-error' : 'ok', (duration) => ({
        type: 'result',
        result,
        duration,
      }))
    } catch (thrown) {
      this.#fail(thrown)
    } finally {
      await tasksSettled?.()
      await client.close().catch(() => {})
    }
  }

  #followTasks(client: Client): (() => Promise<void>) | undefined {
    const { method, client: pretended } = this.request
    if (method !== 'tools/call' || !pretended.capabilities.tasks) return undefined
    return followTasks(client, (task) => {
      this.#isTask = true
      this.#emit({ type: 'task', task })
    })
  }

  async #send(client: Client): Promise<JsonObject> {
    const { method, params, logLevel } = this.request
    const { signal } = this.#abort
    if (logLevel !== undefined) await client.setLogLevel(logLevel, { signal })
    if (method === 'resources/subscribe' || method === 'subscriptions/listen') {
      const notify = (notification: { method: string; params?: JsonObject }): void =>
        this.#emit({ type: 'notification', ...notification })
      return watchResources(client, params, { signal, notify })
    }
    return client.request(
      method,
      { ...params },
      {
        signal,
        logLevel: logLevel ?? 'info',
        fresh: true,
        onProgress: ({ progress, total, message }) =>
          this.#emit({
            type: 'progress',
            progress,
            ...(total !== undefined && { total }),
            ...(message !== undefined && { message }),
          }),
        onLog: ({ level, logger, data }) =>
          this.#emit({ type: 'log', level, ...(logger !== undefined && { logger }), data }),
      },
    )
  }

  #fail(thrown: unknown): void {
    const { aborted, reason } = this.#abort.signal
    if (aborted && reason === CANCELLED) {
      this.#end('cancelled', (duration) => ({ type: 'cancelled', duration }))
    } else {
      const error = toPlaygroundError(aborted ? reason : thrown, this.request)
      this.#end('error', (duration) => ({ type: 'error', error, duration }))
    }
  }

  cancel(): void {
    this.#abort.abort(CANCELLED)
  }

  /** Ends the call as failed, because its question can no longer be answered. */
  giveUp(why: TargetError): void {
    this.#abort.abort(why)
  }

  #end(status: PlaygroundCall['status'], event: (duration: number) => NewEvent): void {
    this.#duration = Date.now() - this.startedAt
    this.#status = status
    const last = event(this.#duration)
    this.size = writeJson(last).length
    this.#emit(last)
    for (const reader of [...this.#readers]) reader.close()
    this.onChange?.()
  }

  #emit(fresh: NewEvent): void {
    const event = { ...fresh, seq: ++this.#seq, at: Date.now() } as PlaygroundEvent
    // The first events, and the last, which says how it ended.
    if (this.#events.length < MAX_EVENTS || this.isOver) this.#events.push(event)
    for (const reader of this.#readers) reader.push({ id: String(event.seq), event })
  }

  /** The events after a known one, and all further events. */
  stream(lastEventId: string | undefined): Channel<StreamItem<PlaygroundEvent>> {
    const channel = new Channel<StreamItem<PlaygroundEvent>>(() => this.#readers.delete(channel))
    const last = Number(lastEventId ?? 0) || 0
    for (const event of this.#events) {
      if (event.seq > last) channel.push({ id: String(event.seq), event })
    }
    if (this.isOver) channel.close()
    else this.#readers.add(channel)
    return channel
  }

  present(): PlaygroundCall {
    const { method, params, client, target } = this.request
    const questions = this.questions.waiting
    return {
      id: this.id,
      startedAt: this.startedAt,
      method,
      params,
      client,
      ...(target !== undefined && { target }),
      status: this.#present(questions.length > 0),
      ...(this.#duration !== undefined && { duration: this.#duration }),
      records: [...this.records],
      questions,
    }
  }

  #present(isWaiting: boolean): PlaygroundCall['status'] {
    if (this.#status !== 'running') return this.#status
    if (isWaiting) return 'waiting'
    return this.#isTask ? 'task' : 'running'
  }

  detail(): PlaygroundCallDetail {
    return { ...this.present(), events: this.#events }
  }
}

/** Waits for tasks, reports their states, and resolves once the server knows of a cancellation (SEP-2663). */
function followTasks(client: Client, onTask: (task: JsonObject) => void): () => Promise<void> {
  createTaskClient(client)
  let last: string | undefined
  let cancelled: Promise<unknown> = Promise.resolve()
  // Registered after the handler that waits, so it sees what that handler sends.
  client.use(async (exchange, next) => {
    const answer = next(exchange)
    if (exchange.method === 'tasks/cancel') cancelled = answer.catch(() => {})
    const outcome = await answer
    const isAsked = exchange.method === 'tasks/get' && outcome.type === 'complete'
    const task = outcome.type === 'task' ? outcome.task : isAsked ? outcome.result : undefined
    const state = task && `${task.status} ${task.statusMessage}`
    if (task && state !== last) onTask(stateOf(task as JsonObject))
    last = state ?? last
    return outcome
  })
  return async () => void (await cancelled)
}

/** Without the result, which comes by itself. */
function stateOf({ resultType: _, result: __, _meta: ___, ...state }: JsonObject): JsonObject {
  return state
}

function toPlaygroundError(thrown: unknown, request: StartCall): PlaygroundError {
  const fix = fixFor(thrown, request)
  const base = { message: thrown instanceof Error ? thrown.message : String(thrown), ...(fix && { fix }) }
  if (thrown instanceof ProtocolError) {
    return { code: thrown.code, ...base, ...(thrown.data !== undefined && { data: thrown.data }) }
  }
  if (thrown instanceof TargetError) return { code: thrown.reason, ...base }
  return { code: thrown instanceof McpError ? thrown.code : 'internal', ...base }
}

function fixFor(thrown: unknown, { params }: StartCall): string | undefined {
  const name = params.name ?? params.uri
  if (thrown instanceof TargetError && typeof name === 'string') return `Ask why: gantry why ${name}`
  if (thrown instanceof ProtocolError) {
    const { data, message } = thrown
    if (isJsonObject(data) && typeof data.target === 'string')
      return `Look at the target: gantry doctor ${data.target}`
    if (/^Unknown (tool|prompt)|^Resource not found/.test(message) && typeof name === 'string') {
      return `Ask why it is missing: gantry why ${name}`
    }
    if (/capabilit/i.test(message)) return 'Let the client declare the capability that the server asks for.'
  }
  if (thrown instanceof McpError && thrown.code === 'missing_capability') {
    return 'Let the client declare the capability that the server asks for.'
  }
  return undefined
}

export interface WatchOptions {
  readonly signal: AbortSignal
  notify(notification: { method: string; params?: JsonObject }): void
}

const CHANGES = [
  ['toolsListChanged', 'toolsChanged', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'promptsChanged', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'resourcesChanged', 'notifications/resources/list_changed'],
] as const

/** Subscribes in the way of the client's era and reports what comes until it is cancelled. */
export async function watchResources(
  client: Client,
  params: JsonObject,
  { signal, notify }: WatchOptions,
): Promise<JsonObject> {
  const wanted = (params.notifications ?? {}) as JsonObject
  const listed = Array.isArray(wanted.resourceSubscriptions) ? wanted.resourceSubscriptions : []
  const uris = typeof params.uri === 'string' ? [params.uri] : listed.map(String)
  client.on('resourceUpdated', ({ uri }) =>
    notify({ method: 'notifications/resources/updated', params: { uri } }),
  )
  for (const [filter, event, method] of CHANGES) {
    if (wanted[filter] === true) client.on(event, () => notify({ method }))
  }
  for (const uri of uris) await client.subscribe(uri, { signal })
  // There is no result but the end: `cancel` rejects this.
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

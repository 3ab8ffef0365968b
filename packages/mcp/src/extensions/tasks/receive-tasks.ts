import { complete, type Exchange, type Outcome } from '../../exchange/index.ts'
import { McpError, type JsonObject } from '../../jsonrpc/index.ts'
import { LATEST_LEGACY } from '../../protocol/index.ts'
import type { Client } from '../../client/index.ts'
import type { Store } from '../../server/index.ts'
import { TaskService } from './task-service.ts'

export type ReceivingClient = Pick<Client, 'answerRequests' | 'capabilities' | 'on'>

/** Few at a time: each is a question to a person, or to a model that costs money. */
const LIMITS = { maxRunning: 64, maxRunningPerPrincipal: 64, maxFinished: 100 }

/** Runs sampling and elicitation as tasks for 2025-11-25 servers. Tasks end with their connection. */
export function receiveTasks(client: ReceivingClient): void {
  const { sampling, elicitation } = client.capabilities
  const requests: JsonObject = {
    ...(sampling && { sampling: { createMessage: {} } }),
    ...(elicitation && { elicitation: { create: {} } }),
  }
  const methods = new Set<string>([
    ...(sampling ? ['sampling/createMessage'] : []),
    ...(elicitation ? ['elicitation/create'] : []),
  ])
  // What a handler throws is its caller's to see: as the error of the task, and as a warning of the client.
  const service = new TaskService({ ...LIMITS, store: new RecentAnswers(), legacy: true, onError: () => {} })
  client.on('close', () => service.close('The connection is closed'))
  client.answerRequests({ tasks: { list: {}, cancel: {}, requests } }, (exchange) => {
    if (exchange.client.version !== LATEST_LEGACY) return undefined
    if (exchange.method.startsWith('tasks/')) return service.handle(exchange)
    if (exchange.params.task === undefined || !methods.has(exchange.method)) return undefined
    return service.run(exchange, 'optional', ({ signal }) => answer(exchange, signal))
  })
}

async function answer({ method, params, ask }: Exchange, signal: AbortSignal): Promise<Outcome> {
  const { task: _task, ...question } = params
  const { input } = await ask!({ input: { method, params: question } }, signal)
  if (!input) throw new McpError('invalid_answer', `No answer to ${method}`)
  return complete(input)
}

/** More than the service keeps: some are of connections that are no more, and go when their time is over. */
const MANY = 1_000

/** Answers that the server may fetch. `MemoryStore` would bring the whole server into every client. */
class RecentAnswers implements Store {
  readonly #kept = new Map<string, { value: string; until: number }>()

  async get(key: string): Promise<string | undefined> {
    const found = this.#kept.get(key)
    if (found && found.until > Date.now()) return found.value
    this.#kept.delete(key)
    return undefined
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#kept.set(key, { value, until: Date.now() + ttlMs })
    if (this.#kept.size > MANY) for (const kept of [...this.#kept.keys()]) await this.get(kept)
  }

  async delete(key: string): Promise<void> {
    this.#kept.delete(key)
  }
}

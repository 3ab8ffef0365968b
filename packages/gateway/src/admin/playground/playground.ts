import { randomUUID } from 'node:crypto'
import { Client, type ClientOptions } from '@gantry/mcp/client'
import { memory } from '@gantry/mcp/memory'
import { appCapabilities } from '@gantry/mcp/extensions/apps'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { StartCall, PlaygroundClient } from '../contract.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { Caller, Handlers } from '../handlers.ts'
import { PlaygroundRun } from './playground-run.ts'
import type { Endpoint } from '../../endpoint.ts'
import type { GatewayObserver } from '../../gateway.ts'
import { whyUnanswerable } from '../targets/why-off.ts'
import { ClientTag } from '../../telemetry/exchange-log.ts'
import type { Questions } from './questions.ts'

const MAX_KEPT = 100
const MAX_RUNNING = 50
/** Characters of all results that are kept. */
const MAX_SIZE = 64 * 1024 * 1024

export class Playground implements GatewayObserver {
  readonly #host: AdminHost
  readonly #hub: EventHub
  readonly #runs = new Map<string, PlaygroundRun>()

  constructor(host: AdminHost, hub: EventHub) {
    this.#host = host
    this.#hub = hub
  }

  start(request: StartCall, caller: Caller): string {
    const { gateway, version } = this.#host
    const served = gateway.endpoint(request.target)
    if (!served) throw new ApiError('not_found', `There is no target "${request.target}"`)
    this.#makeRoom()
    const id = randomUUID()
    const run = new PlaygroundRun(id, request)
    this.#runs.set(id, run)
    // While a client watches, messages of both hops are kept.
    const stop = gateway.exchanges.watch((record) => {
      if (record.tag?.id !== id) return
      run.records.add(record.id)
      if (record.target !== undefined) run.record = record
    })
    run.onChange = () => {
      if (run.isOver) stop()
      else this.#endUnanswerable(run)
      this.#hub.emit('playground', { type: 'playground', id })
    }
    const { client, timeout } = request
    const { questions } = run
    void run.run(createPlaygroundClient({ id, served, client, caller, questions, version, timeout }))
    this.#hub.emit('playground', { type: 'playground', id })
    return id
  }

  #makeRoom(): void {
    const running = [...this.#runs.values()].filter((run) => !run.isOver).length
    if (running >= MAX_RUNNING) {
      throw new ApiError('too_many', `${running} calls are running already`, { fix: 'Cancel some of them.' })
    }
    let size = [...this.#runs.values()].reduce((sum, run) => sum + run.size, 0)
    for (const run of this.#runs.values()) {
      if (this.#runs.size < MAX_KEPT && size < MAX_SIZE) return
      if (!run.isOver) continue
      this.#runs.delete(run.id)
      size -= run.size
    }
  }

  /** Ends runs with questions of targets that are off, and of processes that have ended. */
  readonly targetChanged = (): void => {
    for (const run of this.#runs.values()) this.#endUnanswerable(run)
  }

  readonly modelChanged: () => void = this.targetChanged

  #endUnanswerable(run: PlaygroundRun): void {
    if (run.record === undefined || run.questions.waiting.length === 0) return
    const why = whyUnanswerable(this.#host.gateway, run.record)
    if (why) run.giveUp(why)
  }

  isRunning(id: string): boolean {
    return this.#runs.get(id)?.isOver === false
  }

  #find(id: string): PlaygroundRun {
    const run = this.#runs.get(id)
    if (run) return run
    throw new ApiError('not_found', 'There is no such call', { fix: `The last ${MAX_KEPT} are kept.` })
  }

  get handlers(): Pick<
    Handlers,
    'startCall' | 'playgroundCalls' | 'playgroundCall' | 'playgroundEvents' | 'answerQuestion' | 'cancelCall'
  > {
    return {
      startCall: ({ body, caller }) => ({ id: this.start(body, caller) }),
      playgroundCalls: () => ({ calls: [...this.#runs.values()].reverse().map((run) => run.present()) }),
      playgroundCall: ({ params }) => this.#find(params.id).detail(),
      playgroundEvents: ({ params, lastEventId }) => this.#find(params.id).stream(lastEventId),
      answerQuestion: ({ params, body }) => {
        this.#find(params.id).questions.answer(body.question, body.answer)
        return { ok: true }
      },
      cancelCall: ({ params }) => {
        this.#find(params.id).cancel()
        return { ok: true }
      },
    }
  }

  close(): void {
    for (const run of this.#runs.values()) if (!run.isOver) run.cancel()
  }
}

const TASKS = 'io.modelcontextprotocol/tasks'

interface PlaygroundClientOptions {
  readonly id: string
  readonly served: Endpoint
  readonly client: PlaygroundClient
  readonly caller: Caller
  readonly questions: Questions
  readonly version: string
  readonly timeout: number | undefined
}

/** A real client of the gateway, over the same edges as any other, that has its questions answered in the page. */
function createPlaygroundClient(options: PlaygroundClientOptions): Client {
  const { client, caller } = options
  const connector = memory(options.served, {
    context: { auth: caller.auth, serverContext: new ClientTag(options.id) },
  })
  return new Client({
    ...handlersOf(options),
    name: client.name ?? 'gantry-playground',
    version: options.version,
    connector,
    numbers: 'source',
    era: client.era,
    protocolVersion: client.revision,
    capabilities: declared(client),
    timeout: options.timeout ?? 0,
    maxTotalTimeout: 0,
    reconnect: false,
    cache: false,
    validateOutput: false,
  })
}

function handlersOf({ client, questions }: PlaygroundClientOptions): ClientOptions {
  const { elicitation, sampling, roots } = client.capabilities
  const handlers: ClientOptions = {}
  if (elicitation?.form || elicitation?.url) {
    const elicit =
      (kind: 'form' | 'url') =>
      (params: object, { signal }: { signal: AbortSignal }) =>
        questions.ask(kind, 'elicitation/create', params, signal) as never
    handlers.elicit = {
      ...(elicitation.form && { form: elicit('form') }),
      ...(elicitation.url && { url: elicit('url') }),
    }
  }
  if (sampling) {
    handlers.sample = (params, { signal }) =>
      questions.ask('sampling', 'sampling/createMessage', params, signal) as never
  }
  if (roots) handlers.roots = roots.map(({ uri, name }) => (name === undefined ? { uri } : { uri, name }))
  return handlers
}

function declared({ capabilities }: PlaygroundClient): NonNullable<ClientOptions['capabilities']> {
  const { sampling, tasks, apps } = capabilities
  return {
    ...(sampling && {
      sampling: { ...(sampling.tools && { tools: {} }), ...(sampling.context && { context: {} }) },
    }),
    ...((tasks || apps) && {
      extensions: { ...(tasks && { [TASKS]: {} }), ...(apps && appCapabilities().extensions) },
    }),
  }
}

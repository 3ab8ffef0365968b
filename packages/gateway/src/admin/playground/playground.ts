import { randomUUID } from 'node:crypto'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { StartCall } from '../contract.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { Caller, Handlers } from '../handlers.ts'
import { createPlaygroundClient } from './playground-client.ts'
import { PlaygroundRun } from './playground-run.ts'

const MAX_KEPT = 100
const MAX_RUNNING = 50
/** Characters of all results that are kept. */
const MAX_SIZE = 64 * 1024 * 1024

/** Calls that somebody at the console makes, each as a client of its own. */
export class Playground {
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
    // As long as somebody watches, messages of both hops are kept.
    const stop = gateway.view.watch((record) => {
      if (record.tag?.id === id) run.records.add(record.id)
    })
    run.onChange = () => {
      if (run.isOver) stop()
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

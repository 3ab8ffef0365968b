import { ApiError } from '../api-error.ts'
import type { CallName, RouteName, WireExportLine } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { AnyRequest } from '../local-api.ts'
import type { Asking } from './asking.ts'
import { eventsOfAll } from './events-of-all.ts'
import { MERGES } from './merge-replies.ts'

/** Routes about something that is at one gateway: the one that was asked, or another one. */
const SOMEWHERE = [
  'wireDetail',
  'replayExchange',
  'cancelExchange',
  'disconnectClient',
  'trial',
  'cancelTrial',
  'addTarget',
  'playgroundCall',
  'answerQuestion',
  'cancelCall',
] as const satisfies readonly CallName[]

type AnyHandler = (request: AnyRequest) => unknown
type AnyMerge = (replies: readonly unknown[], request: AnyRequest) => unknown

/** The admin API of several gateways that act as one: what it shows and does is about all of them. */
export function togetherHandlers(own: Handlers, asking: Asking): Handlers {
  const merged = Object.entries(MERGES).map(([name, merge]) => [
    name,
    async (request: AnyRequest) => {
      const ownReply = (own[name as RouteName] as AnyHandler)(request)
      const [reply, others] = await Promise.all([ownReply, asking.all(name as RouteName, request)])
      return others.length === 0 ? reply : (merge as AnyMerge)([reply, ...others], request)
    },
  ])
  const found = SOMEWHERE.map((name) => [name, (request: AnyRequest) => find(name, request)])
  const handlers: Handlers = {
    ...own,
    ...Object.fromEntries([...merged, ...found]),
    async overview(request) {
      const overview = await mergedOverview(request)
      if (overview.gateway.processes === undefined) return overview
      const { clients } = await handlers.clients(request)
      return { ...overview, clients: clients.filter(({ connected }) => connected).length }
    },
    playgroundEvents: (request) => findEvents(request),
    wireExport: (request) => exportAll(request),
    events: (request) => eventsOfAll({ own, all: handlers, asking }, request),
  }
  const mergedOverview = Object.fromEntries(merged).overview as Handlers['overview']
  return handlers

  async function find(name: (typeof SOMEWHERE)[number], request: AnyRequest): Promise<unknown> {
    try {
      return await (own[name] as AnyHandler)(request)
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown
      return elsewhere(asking.ids.map((id) => asking.one(id, name, request))).catch((other) => {
        throw other ?? thrown
      })
    }
  }

  async function* findEvents(
    request: Parameters<Handlers['playgroundEvents']>[0],
  ): ReturnType<typeof asking.events<'playgroundEvents'>> {
    try {
      return yield* own.playgroundEvents(request)
    } catch (thrown) {
      if (!isAbsent(thrown)) throw thrown
      const { caller } = request
      const has = (id: string): Promise<string> =>
        asking.one(id, 'playgroundCall', { ...request, caller }).then(() => id)
      const id = await elsewhere(asking.ids.map(has)).catch((other) => {
        throw other ?? thrown
      })
      return yield* asking.events(id, 'playgroundEvents', request)
    }
  }

  async function* exportAll(request: Parameters<Handlers['wireExport']>[0]): AsyncGenerator<WireExportLine> {
    yield* own.wireExport(request)
    for (const id of asking.ids) {
      const lines = asking.lines(id, 'wireExport', request) as AsyncGenerator<WireExportLine>
      yield* untilGone(lines)
    }
  }
}

/** What the one says that has it. Rejects with why that one refused, or with undefined when none has it. */
async function elsewhere<T>(answers: readonly Promise<T>[]): Promise<T> {
  return Promise.any(answers).catch(({ errors }: AggregateError) => {
    throw errors.find((error) => error instanceof ApiError && !isAbsent(error))
  })
}

/** It is not here, or not any more. */
function isAbsent(thrown: unknown): boolean {
  return thrown instanceof ApiError && ABSENT.has(thrown.problem.code)
}

const ABSENT: ReadonlySet<string> = new Set(['not_found', 'gone'])

/** A gateway that ends meanwhile says no more. */
async function* untilGone<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* values
  } catch {
    // What it has said stands.
  }
}

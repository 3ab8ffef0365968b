import type { CallName, RouteName, WireExportLine } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import type { AnyRequest } from '../local-api.ts'
import { type Asking, isAbsent } from './asking.ts'
import { eventsOfAll } from './events-of-all.ts'
import { MERGES } from './merge-replies.ts'

/** Routes about something that is at a single gateway: the gateway that was asked, or another gateway. */
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
      const { unheard } = asking
      const gateway = { ...overview.gateway, ...(unheard.length > 0 && { unheard }) }
      if (gateway.processes === undefined) return { ...overview, gateway }
      const { clients } = await handlers.clients(request)
      return { ...overview, gateway, clients: clients.filter(({ connected }) => connected).length }
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
      return asking.first(thrown, (id) => asking.one(id, name, request))
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
      const id = await asking.first(thrown, has)
      return yield* asking.events(id, 'playgroundEvents', request)
    }
  }

  async function* exportAll(request: Parameters<Handlers['wireExport']>[0]): AsyncGenerator<WireExportLine> {
    yield* own.wireExport(request)
    // One that does not answer breaks it off: half an export would pass for all of it.
    for (const id of asking.ids) {
      yield* asking.lines(id, 'wireExport', request) as AsyncGenerator<WireExportLine>
    }
  }
}

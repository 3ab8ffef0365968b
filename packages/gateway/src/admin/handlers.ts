import type { AuthInfo } from '@gantry/mcp/exchange'
import type {
  CallName,
  Role,
  RouteEvent,
  RouteInput,
  RouteReply,
  StreamItem,
  StreamName,
  WireExportLine,
} from './contract.ts'
import type { ConsoleSession } from './http/console-people.ts'

export interface Caller {
  /** For people: `console` is the holder of the printed token. */
  readonly principal: string
  readonly auth: AuthInfo | undefined
  /** Undefined for callers that may only decide about approvals. */
  readonly role: Role | undefined
  /** The session of a person who has signed in to the console. */
  readonly session?: ConsoleSession | undefined
}

export type ApiRequest<Name extends CallName | StreamName | 'wireExport'> = RouteInput<Name> & {
  readonly caller: Caller
  readonly signal: AbortSignal
  readonly lastEventId?: string | undefined
}

type Calls = {
  readonly [Name in CallName]: (request: ApiRequest<Name>) => RouteReply<Name> | Promise<RouteReply<Name>>
}
type Streams = {
  readonly [Name in StreamName]: (request: ApiRequest<Name>) => AsyncIterable<StreamItem<RouteEvent<Name>>>
}

export type Handlers = Calls &
  Streams & {
    readonly wireExport: (
      request: ApiRequest<'wireExport'>,
    ) => Iterable<WireExportLine> | AsyncIterable<WireExportLine>
  }

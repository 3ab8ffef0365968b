import type { CatalogChanges, CatalogEntryDetail, CatalogList } from './catalog.ts'
import type { ClientList } from './clients.ts'
import type { EntryKind, JsonObject, SessionInfo } from './common.ts'
import type { ConfigCheck, ConfigSaved, ConfigSchema, ConfigText, EditedConfig } from './config.ts'
import type { AdminEvent } from './events.ts'
import type { Overview } from './overview.ts'
import type {
  AnswerQuestion,
  PlaygroundCall,
  PlaygroundCallDetail,
  PlaygroundEvent,
  StartCall,
} from './playground.ts'
import type {
  RecordingStatus,
  StartRecording,
  StderrLine,
  TargetAction,
  TargetCard,
  TargetDetail,
  UpdateTarget,
} from './targets.ts'
import type { AddTarget, StartTrial, TrialReport, TrialsStarted } from './trials.ts'
import type { WhyReport } from './why.ts'
import type { CallStarted, WireDetail, WireExportLine, WireList } from './wire.ts'

export type Done = { readonly ok: true }

/** Every route with its types. `params` are the parts of the path in braces, percent-encoded there. */
export interface Routes {
  session: { method: 'GET'; path: '/api/session'; reply: SessionInfo }
  openapi: { method: 'GET'; path: '/api/openapi.json'; reply: JsonObject }
  overview: { method: 'GET'; path: '/api/overview'; reply: Overview }

  targets: { method: 'GET'; path: '/api/targets'; reply: { targets: readonly TargetCard[] } }
  target: { method: 'GET'; path: '/api/targets/{name}'; params: { name: string }; reply: TargetDetail }
  addTarget: { method: 'POST'; path: '/api/targets'; body: AddTarget; reply: ConfigSaved }
  updateTarget: {
    method: 'PUT'
    path: '/api/targets/{name}'
    params: { name: string }
    body: UpdateTarget
    reply: ConfigSaved
  }
  removeTarget: {
    method: 'DELETE'
    path: '/api/targets/{name}'
    params: { name: string }
    query: { revision?: string }
    reply: ConfigSaved
  }
  targetAction: {
    method: 'POST'
    path: '/api/targets/{name}/actions'
    params: { name: string }
    body: TargetAction
    reply: TargetCard
  }
  signIn: {
    method: 'POST'
    path: '/api/targets/{name}/sign-in'
    params: { name: string }
    /** The page on which somebody logs in; the target connects by itself afterwards. */
    reply: { url: string }
  }
  stderr: {
    method: 'GET'
    path: '/api/targets/{name}/stderr'
    params: { name: string }
    query: { after?: number; limit?: number }
    reply: { lines: readonly StderrLine[] }
  }

  startRecording: {
    method: 'POST'
    path: '/api/targets/{name}/recording'
    params: { name: string }
    body: StartRecording
    reply: RecordingStatus
  }
  recording: {
    method: 'GET'
    path: '/api/targets/{name}/recording'
    params: { name: string }
    reply: RecordingStatus
  }
  stopRecording: {
    method: 'DELETE'
    path: '/api/targets/{name}/recording'
    params: { name: string }
    reply: RecordingStatus
  }

  startTrial: { method: 'POST'; path: '/api/trials'; body: StartTrial; reply: TrialsStarted }
  trial: {
    method: 'GET'
    path: '/api/trials/{id}'
    params: { id: string }
    /** Milliseconds to wait for its end. */
    query: { wait?: number }
    reply: TrialReport
  }
  cancelTrial: { method: 'DELETE'; path: '/api/trials/{id}'; params: { id: string }; reply: Done }

  catalog: {
    method: 'GET'
    path: '/api/catalog'
    /** `refresh` waits until every target was asked, at most for the configured deadline. */
    query: { refresh?: boolean }
    reply: CatalogList
  }
  catalogEntry: {
    method: 'GET'
    path: '/api/catalog/entry'
    query: { kind: EntryKind; key: string }
    reply: CatalogEntryDetail
  }
  catalogChanges: {
    method: 'GET'
    path: '/api/catalog/changes'
    /** Those with an id above `since`. */
    query: { since?: number; target?: string; limit?: number }
    reply: CatalogChanges
  }

  startCall: { method: 'POST'; path: '/api/playground/calls'; body: StartCall; reply: CallStarted }
  playgroundCalls: {
    method: 'GET'
    path: '/api/playground/calls'
    reply: { calls: readonly PlaygroundCall[] }
  }
  playgroundCall: {
    method: 'GET'
    path: '/api/playground/calls/{id}'
    params: { id: string }
    reply: PlaygroundCallDetail
  }
  playgroundEvents: {
    method: 'GET'
    path: '/api/playground/calls/{id}/events'
    params: { id: string }
    stream: PlaygroundEvent
  }
  answerQuestion: {
    method: 'POST'
    path: '/api/playground/calls/{id}/answers'
    params: { id: string }
    body: AnswerQuestion
    reply: Done
  }
  cancelCall: {
    method: 'POST'
    path: '/api/playground/calls/{id}/cancel'
    params: { id: string }
    reply: Done
  }

  wire: {
    method: 'GET'
    path: '/api/wire'
    query: { limit?: number; before?: number; filter?: string }
    reply: WireList
  }
  wireDetail: { method: 'GET'; path: '/api/wire/{id}'; params: { id: number }; reply: WireDetail }
  wireExport: {
    method: 'GET'
    path: '/api/wire/export'
    query: { filter?: string; ids?: string }
    /** JSONL. */
    lines: WireExportLine
  }
  replayExchange: {
    method: 'POST'
    path: '/api/wire/{id}/replay'
    params: { id: number }
    /** Instead of the recorded parameters. */
    body: { params?: JsonObject }
    reply: CallStarted
  }
  clearWire: { method: 'DELETE'; path: '/api/wire'; reply: Done }

  clients: { method: 'GET'; path: '/api/clients'; reply: ClientList }
  disconnectClient: {
    method: 'POST'
    path: '/api/clients/{id}/disconnect'
    params: { id: string }
    reply: Done
  }
  cancelExchange: { method: 'POST'; path: '/api/calls/{id}/cancel'; params: { id: number }; reply: Done }

  config: { method: 'GET'; path: '/api/config'; reply: ConfigText }
  configSchema: { method: 'GET'; path: '/api/config/schema'; reply: ConfigSchema }
  checkConfig: { method: 'POST'; path: '/api/config/check'; body: EditedConfig; reply: ConfigCheck }
  saveConfig: { method: 'PUT'; path: '/api/config'; body: EditedConfig; reply: ConfigSaved }

  why: {
    method: 'GET'
    path: '/api/why'
    /** `as`: as this caller would see it, `KIND:SUBJECT`. `issuer`: of its tokens, the configured one if absent. */
    query: { name: string; as?: string; issuer?: string }
    reply: WhyReport
  }
  events: { method: 'GET'; path: '/api/events'; query: { topics?: string }; stream: AdminEvent }
}

export type RouteName = keyof Routes

/** What is known of a route when the program runs. */
export interface RouteInfo<Name extends RouteName = RouteName> {
  readonly method: Routes[Name]['method']
  readonly path: Routes[Name]['path']
  readonly summary: string
  /** How it answers; JSON when absent. */
  readonly answers?: 'events' | 'lines'
}

/** The route table. Requests carry `Authorization: Bearer TOKEN`; bodies are JSON. */
export const ROUTES: { readonly [Name in RouteName]: RouteInfo<Name> } = {
  session: { method: 'GET', path: '/api/session', summary: 'Who am I' },
  openapi: { method: 'GET', path: '/api/openapi.json', summary: 'This description' },
  overview: { method: 'GET', path: '/api/overview', summary: 'Endpoint, snippets, targets and traffic' },
  targets: { method: 'GET', path: '/api/targets', summary: 'All targets' },
  target: { method: 'GET', path: '/api/targets/{name}', summary: 'One target in full' },
  addTarget: { method: 'POST', path: '/api/targets', summary: 'Write a target into the configuration' },
  updateTarget: { method: 'PUT', path: '/api/targets/{name}', summary: 'Change the entry of a target' },
  removeTarget: { method: 'DELETE', path: '/api/targets/{name}', summary: 'Take a target out' },
  targetAction: {
    method: 'POST',
    path: '/api/targets/{name}/actions',
    summary: 'Start, stop, restart or ask a target anew',
  },
  signIn: { method: 'POST', path: '/api/targets/{name}/sign-in', summary: 'Begin the login of a target' },
  stderr: { method: 'GET', path: '/api/targets/{name}/stderr', summary: 'What a target wrote to stderr' },
  startRecording: {
    method: 'POST',
    path: '/api/targets/{name}/recording',
    summary: 'Write the traffic of a target to a file that can be replayed',
  },
  recording: { method: 'GET', path: '/api/targets/{name}/recording', summary: 'How far a recording is' },
  stopRecording: { method: 'DELETE', path: '/api/targets/{name}/recording', summary: 'End a recording' },
  startTrial: { method: 'POST', path: '/api/trials', summary: 'Try a target without saving it' },
  trial: { method: 'GET', path: '/api/trials/{id}', summary: 'How far a trial got' },
  cancelTrial: { method: 'DELETE', path: '/api/trials/{id}', summary: 'End a trial' },
  catalog: { method: 'GET', path: '/api/catalog', summary: 'What all targets offer' },
  catalogEntry: { method: 'GET', path: '/api/catalog/entry', summary: 'One definition in full' },
  catalogChanges: { method: 'GET', path: '/api/catalog/changes', summary: 'What became different' },
  startCall: { method: 'POST', path: '/api/playground/calls', summary: 'Send a request as a client' },
  playgroundCalls: { method: 'GET', path: '/api/playground/calls', summary: 'Calls of the playground' },
  playgroundCall: { method: 'GET', path: '/api/playground/calls/{id}', summary: 'One call with its events' },
  playgroundEvents: {
    method: 'GET',
    path: '/api/playground/calls/{id}/events',
    summary: 'A call as it goes on',
    answers: 'events',
  },
  answerQuestion: {
    method: 'POST',
    path: '/api/playground/calls/{id}/answers',
    summary: 'Answer a question of the server',
  },
  cancelCall: { method: 'POST', path: '/api/playground/calls/{id}/cancel', summary: 'Cancel a call' },
  wire: { method: 'GET', path: '/api/wire', summary: 'The last exchanges' },
  wireDetail: { method: 'GET', path: '/api/wire/{id}', summary: 'One exchange with its messages' },
  wireExport: {
    method: 'GET',
    path: '/api/wire/export',
    summary: 'Exchanges as JSON lines, secrets redacted',
    answers: 'lines',
  },
  replayExchange: { method: 'POST', path: '/api/wire/{id}/replay', summary: 'Send a request again' },
  clearWire: { method: 'DELETE', path: '/api/wire', summary: 'Forget the exchanges' },
  clients: { method: 'GET', path: '/api/clients', summary: 'Who is connected' },
  disconnectClient: { method: 'POST', path: '/api/clients/{id}/disconnect', summary: 'End a session' },
  cancelExchange: { method: 'POST', path: '/api/calls/{id}/cancel', summary: 'Cancel a request in flight' },
  config: { method: 'GET', path: '/api/config', summary: 'The configuration file, secrets masked' },
  configSchema: { method: 'GET', path: '/api/config/schema', summary: 'JSON Schema of the configuration' },
  checkConfig: { method: 'POST', path: '/api/config/check', summary: 'What an edit would do' },
  saveConfig: { method: 'PUT', path: '/api/config', summary: 'Save and apply an edit' },
  why: { method: 'GET', path: '/api/why', summary: 'Why a name is missing, slow, renamed, denied or stale' },
  events: { method: 'GET', path: '/api/events', summary: 'Changes as they happen', answers: 'events' },
}

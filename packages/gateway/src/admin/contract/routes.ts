import type { ApprovalReport, DecideApproval } from './approvals.ts'
import type { AuditList, AuditReport } from './audit.ts'
import type { Access, AskSeen, EditView, Seen, ViewEntryText } from './access.ts'
import type { CatalogChanges, CatalogEntryDetail, CatalogList, EditEntry, EntryEdit } from './catalog.ts'
import type { ClientList, WaitingCall } from './clients.ts'
import type { EntryKind, JsonObject, Role, SessionInfo } from './common.ts'
import type { ConnectionList } from './connections.ts'
import type {
  ConfigCheck,
  ConfigSaved,
  ConfigSchema,
  ConfigText,
  ConfigVersionDetail,
  ConfigVersions,
  EditedConfig,
} from './config.ts'
import type { AdminEvent } from './events.ts'
import type { AddKey, KeyAdded, KeyList } from './keys.ts'
import type { LogLine } from './log.ts'
import type { Load, LoadRange, Overview } from './overview.ts'
import type {
  AnswerQuestion,
  OpenedView,
  OpenView,
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
import type { ToolFigures, UsagePer, UsageRange } from './tools.ts'
import type { WhyReport } from './why.ts'
import type { CallStarted, WireDetail, WireExportLine, WireList } from './wire.ts'

export type Done = { readonly ok: true }

/** Every route with its types. `params` are the parts of the path in braces, percent-encoded there. */
export interface Routes {
  session: { reply: SessionInfo }
  /** The answer sets a cookie that stands for the credentials of this request. */
  openSession: { reply: SessionInfo }
  signOut: { reply: Done }
  /** Makes a new token for the console; the old one and what it opened end. `address`: of the console, with it. */
  renewToken: { reply: { address: string } }
  openapi: { reply: JsonObject }
  overview: { reply: Overview }
  /** Without a target: all of them together. */
  load: { query: { range: LoadRange; target?: string }; reply: Load }

  targets: { reply: { targets: readonly TargetCard[] } }
  target: { params: { name: string }; reply: TargetDetail }
  addTarget: { body: AddTarget; reply: ConfigSaved }
  updateTarget: { params: { name: string }; body: UpdateTarget; reply: ConfigSaved }
  removeTarget: { params: { name: string }; query: { revision?: string }; reply: ConfigSaved }
  targetAction: { params: { name: string }; body: TargetAction; reply: TargetCard }
  /** `url`: the page to log in on; the target connects by itself afterwards. */
  signIn: { params: { name: string }; reply: { url: string } }
  stderr: {
    params: { name: string }
    query: { after?: number; limit?: number }
    reply: { lines: readonly StderrLine[] }
  }

  startRecording: { params: { name: string }; body: StartRecording; reply: RecordingStatus }
  recording: { params: { name: string }; reply: RecordingStatus }
  stopRecording: { params: { name: string }; reply: RecordingStatus }

  startTrial: { body: StartTrial; reply: TrialsStarted }
  /** `wait`: milliseconds to wait for its end. */
  trial: { params: { id: string }; query: { wait?: number }; reply: TrialReport }
  cancelTrial: { params: { id: string }; reply: Done }

  /** `refresh` waits until every target was asked, at most for the configured deadline. */
  catalog: {
    query: {
      refresh?: boolean
      target?: string
      kind?: EntryKind
      limit?: number
      /** Leaves titles, descriptions and annotations out. */
      brief?: boolean
    }
    reply: CatalogList
  }
  catalogEntry: { query: { kind: EntryKind; key: string }; reply: CatalogEntryDetail }
  /** `since`: only changes with a higher id. */
  catalogChanges: { query: { since?: number; target?: string; limit?: number }; reply: CatalogChanges }

  /** Says what the file would be, and writes nothing. */
  editEntry: { body: EditEntry; reply: EntryEdit }

  access: { reply: Access }
  seen: { body: AskSeen; reply: Seen }
  view: { params: { name: string }; reply: ViewEntryText }
  /** Says what the file would be, and writes nothing. */
  editView: { body: EditView; reply: EntryEdit }

  startCall: { body: StartCall; reply: CallStarted }
  playgroundCalls: { reply: { calls: readonly PlaygroundCall[] } }
  playgroundCall: { params: { id: string }; reply: PlaygroundCallDetail }
  playgroundEvents: { params: { id: string }; stream: PlaygroundEvent }
  answerQuestion: { params: { id: string }; body: AnswerQuestion; reply: Done }
  cancelCall: { params: { id: string }; reply: Done }
  openView: { body: OpenView; reply: OpenedView }

  /** `before`: only those that began before this time. */
  wire: { query: { limit?: number; before?: number; filter?: string }; reply: WireList }
  wireDetail: { params: { id: number }; reply: WireDetail }
  wireExport: { query: { filter?: string; ids?: string }; lines: WireExportLine }
  /** `params` replace the recorded ones. */
  replayExchange: { params: { id: number }; body: { params?: JsonObject }; reply: CallStarted }
  clearWire: { reply: Done }

  /** By default every tool of the last day. */
  tools: { query: { range?: UsageRange; per?: UsagePer }; reply: { tools: readonly ToolFigures[] } }

  /** All that is given must hold. `who`, `object` and `text` may be parts. Times in milliseconds since 1970. */
  audit: {
    query: {
      who?: string
      target?: string
      object?: string
      operation?: string
      outcome?: string
      rule?: string
      since?: number
      until?: number
      text?: string
      limit?: number
    }
    reply: AuditList
  }
  verifyAudit: { reply: AuditReport }

  log: { query: { target?: string; limit?: number }; reply: { lines: readonly LogLine[] } }

  keys: { reply: KeyList }
  addKey: { body: AddKey; reply: KeyAdded }
  revokeKey: { params: { name: string }; reply: Done }

  connections: { reply: ConnectionList }
  removeConnection: { params: { id: string }; reply: Done }

  clients: { reply: ClientList }
  waiting: { reply: { calls: readonly WaitingCall[] } }
  /** Calls that wait for approval. Approvers without a role get the calls that they may decide. */
  approvals: { reply: { approvals: readonly ApprovalReport[] } }
  approval: { params: { id: string }; reply: ApprovalReport }
  decideApproval: { params: { id: string }; body: DecideApproval; reply: ApprovalReport }
  disconnectClient: { params: { id: string }; reply: Done }
  cancelExchange: { params: { id: number }; reply: Done }

  config: { reply: ConfigText }
  configSchema: { reply: ConfigSchema }
  checkConfig: { body: EditedConfig; reply: ConfigCheck }
  saveConfig: { body: EditedConfig; reply: ConfigSaved }
  configVersions: { reply: ConfigVersions }
  configVersion: { params: { id: string }; reply: ConfigVersionDetail }
  /** `revision`: of the file that is replaced. */
  restoreConfig: { params: { id: string }; body: { revision: string }; reply: ConfigSaved }

  /**
   * `as`: as this caller would see it, `KIND:SUBJECT`. `issuer`: of its tokens, the configured one if absent.
   * `claims`: in its token, as JSON. `args`: for a call with these arguments, as JSON. `view`: at this endpoint.
   */
  why: {
    query: { name: string; as?: string; issuer?: string; claims?: string; args?: string; view?: string }
    reply: WhyReport
  }
  events: { query: { topics?: string }; stream: AdminEvent }
}

export type RouteName = keyof Routes

export interface RouteInfo {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly summary: string
  /** The least role that may use it. `anyone`: everyone who is let in, and the answer is made for them. */
  readonly role: Role | 'anyone'
  /** How it answers; JSON when absent. */
  readonly answers?: 'events' | 'lines' | undefined
}

type Describe = (
  role: RouteInfo['role'],
  path: string,
  summary: string,
  answers?: RouteInfo['answers'],
) => RouteInfo
const describe =
  (method: RouteInfo['method']): Describe =>
  (role, path, summary, answers) => ({ method, path, summary, role, answers })
const get: Describe = describe('GET')
const post: Describe = describe('POST')
const put: Describe = describe('PUT')
const remove: Describe = describe('DELETE')

/**
 * The route table. Requests carry `Authorization: Bearer TOKEN`; bodies are JSON.
 *
 * Viewers read lists and figures: nothing that callers send or get, nothing that programs print, and nothing that
 * changes anything. Operators keep the gateway running. What can start another program, let others in or change the
 * file is for admins.
 */
export const ROUTES: Readonly<Record<RouteName, RouteInfo>> = {
  session: get('anyone', '/api/session', 'Who am I'),
  openSession: post('anyone', '/api/session', 'Sign a browser in with the token of this request'),
  signOut: remove('anyone', '/api/session', 'Sign a browser out'),
  renewToken: post('admin', '/api/session/token', 'Make a new token for the console'),
  openapi: get('viewer', '/api/openapi.json', 'This description'),
  overview: get('viewer', '/api/overview', 'Endpoint, snippets, targets and traffic'),
  load: get('viewer', '/api/load', 'Calls and failures over time'),
  targets: get('viewer', '/api/targets', 'All targets'),
  target: get('operator', '/api/targets/{name}', 'One target in full'),
  addTarget: post('admin', '/api/targets', 'Write a target into the configuration'),
  updateTarget: put('admin', '/api/targets/{name}', 'Change the entry of a target'),
  removeTarget: remove('admin', '/api/targets/{name}', 'Take a target out'),
  targetAction: post('operator', '/api/targets/{name}/actions', 'Start, stop, restart or ask a target anew'),
  signIn: post('operator', '/api/targets/{name}/sign-in', 'Begin the login of a target'),
  stderr: get('operator', '/api/targets/{name}/stderr', 'What a target wrote to stderr'),
  startRecording: post(
    'operator',
    '/api/targets/{name}/recording',
    'Write the traffic of a target to a file that can be replayed',
  ),
  recording: get('operator', '/api/targets/{name}/recording', 'How far a recording is'),
  stopRecording: remove('operator', '/api/targets/{name}/recording', 'End a recording'),
  startTrial: post('admin', '/api/trials', 'Try a target without saving it'),
  trial: get('admin', '/api/trials/{id}', 'How far a trial got'),
  cancelTrial: remove('admin', '/api/trials/{id}', 'End a trial'),
  catalog: get('viewer', '/api/catalog', 'What all targets offer'),
  catalogEntry: get('viewer', '/api/catalog/entry', 'One definition in full'),
  catalogChanges: get('viewer', '/api/catalog/changes', 'What became different'),
  editEntry: post('admin', '/api/catalog/edit', 'How the file would hide, rename or describe an entry'),
  access: get('viewer', '/api/access', 'Who comes in, and what rules and limits did'),
  seen: post('viewer', '/api/access/seen', 'An endpoint as a caller sees it'),
  view: get('viewer', '/api/access/views/{name}', 'A view as the file has it'),
  editView: post('admin', '/api/access/views', 'How the file would change a view'),
  startCall: post('operator', '/api/playground/calls', 'Send a request as a client'),
  playgroundCalls: get('operator', '/api/playground/calls', 'Calls of the playground'),
  playgroundCall: get('operator', '/api/playground/calls/{id}', 'One call with its events'),
  playgroundEvents: get('operator', '/api/playground/calls/{id}/events', 'A call as it goes on', 'events'),
  answerQuestion: post('operator', '/api/playground/calls/{id}/answers', 'Answer a question of the server'),
  cancelCall: post('operator', '/api/playground/calls/{id}/cancel', 'Cancel a call'),
  openView: post('operator', '/api/playground/views', 'Show the document of a ui:// resource'),
  wire: get('viewer', '/api/wire', 'The last exchanges'),
  wireDetail: get('operator', '/api/wire/{id}', 'One exchange with its messages'),
  wireExport: get('operator', '/api/wire/export', 'Exchanges as JSON lines, secrets redacted', 'lines'),
  replayExchange: post('operator', '/api/wire/{id}/replay', 'Send a request again'),
  clearWire: remove('operator', '/api/wire', 'Forget the exchanges'),
  tools: get('viewer', '/api/tools', 'Calls, failures and times of every tool that was called'),
  audit: get('operator', '/api/audit', 'Events of the audit trail'),
  verifyAudit: post('operator', '/api/audit/verify', 'Check the audit trail'),
  log: get('operator', '/api/log', 'What happened: the last lines of the log'),
  keys: get('operator', '/api/keys', 'Keys that open the gateway'),
  addKey: post('admin', '/api/keys', 'Make a key; it is shown this once'),
  revokeKey: remove('admin', '/api/keys/{name}', 'End a key and what it has open'),
  connections: get('operator', '/api/connections', 'Accounts that people have connected at targets'),
  removeConnection: remove(
    'admin',
    '/api/connections/{id}',
    'Revoke and forget an account, and end what it has open',
  ),
  waiting: get('operator', '/api/waiting', 'Calls that wait for the answer of their client'),
  approvals: get('anyone', '/api/approvals', 'Calls that wait for the approval of another person'),
  approval: get('anyone', '/api/approvals/{id}', 'One of them'),
  decideApproval: post('anyone', '/api/approvals/{id}/decision', 'Approve or deny a call'),
  clients: get('viewer', '/api/clients', 'Who is connected'),
  disconnectClient: post('operator', '/api/clients/{id}/disconnect', 'End a session'),
  cancelExchange: post('operator', '/api/calls/{id}/cancel', 'Cancel a request in flight'),
  config: get('operator', '/api/config', 'The configuration file, secrets masked'),
  configSchema: get('viewer', '/api/config/schema', 'JSON Schema of the configuration'),
  checkConfig: post('admin', '/api/config/check', 'What an edit would do'),
  saveConfig: put('admin', '/api/config', 'Save and apply an edit'),
  configVersions: get('admin', '/api/config/versions', 'The last files that were in use'),
  configVersion: get('admin', '/api/config/versions/{id}', 'What going back to one of them would do'),
  restoreConfig: post('admin', '/api/config/versions/{id}', 'Go back to one of them'),
  why: get('viewer', '/api/why', 'Why a name is missing, slow, renamed, denied or stale'),
  events: get('viewer', '/api/events', 'Changes as they happen', 'events'),
}

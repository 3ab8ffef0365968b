import type { Role } from './common.ts'
import type { RouteName } from './routes.ts'

/** From the least to the most. Each may do what the ones before may. */
const ORDER: readonly Role[] = ['viewer', 'operator', 'admin']

/**
 * What each route takes. Viewers read lists and figures: nothing that callers send or get, nothing that programs
 * print, and nothing that changes anything. Operators keep the gateway running. What can start another program, let
 * others in or change the file is for admins. `anyone`: everyone who is let in, and the answer is made for them.
 */
export const ROLE_OF: Readonly<Record<RouteName, Role | 'anyone'>> = {
  session: 'anyone',
  openSession: 'anyone',
  signOut: 'anyone',
  renewToken: 'admin',
  openapi: 'viewer',
  overview: 'viewer',
  load: 'viewer',
  targets: 'viewer',
  target: 'operator',
  addTarget: 'admin',
  updateTarget: 'admin',
  removeTarget: 'admin',
  targetAction: 'operator',
  signIn: 'operator',
  stderr: 'operator',
  startRecording: 'operator',
  recording: 'operator',
  stopRecording: 'operator',
  startTrial: 'admin',
  trial: 'admin',
  cancelTrial: 'admin',
  catalog: 'viewer',
  catalogEntry: 'viewer',
  catalogChanges: 'viewer',
  editEntry: 'admin',
  access: 'viewer',
  seen: 'viewer',
  view: 'viewer',
  editView: 'admin',
  startCall: 'operator',
  playgroundCalls: 'operator',
  playgroundCall: 'operator',
  playgroundEvents: 'operator',
  answerQuestion: 'operator',
  cancelCall: 'operator',
  openView: 'operator',
  wire: 'viewer',
  wireDetail: 'operator',
  wireExport: 'operator',
  replayExchange: 'operator',
  clearWire: 'operator',
  tools: 'viewer',
  audit: 'operator',
  verifyAudit: 'operator',
  log: 'operator',
  keys: 'operator',
  addKey: 'admin',
  revokeKey: 'admin',
  connections: 'operator',
  removeConnection: 'admin',
  waiting: 'operator',
  approvals: 'anyone',
  approval: 'anyone',
  decideApproval: 'anyone',
  clients: 'viewer',
  disconnectClient: 'operator',
  cancelExchange: 'operator',
  config: 'operator',
  configSchema: 'viewer',
  checkConfig: 'admin',
  saveConfig: 'admin',
  configVersions: 'admin',
  configVersion: 'admin',
  restoreConfig: 'admin',
  why: 'viewer',
  events: 'viewer',
}

/** Whether a role is another one, or more. */
export function isAtLeast(role: Role | undefined, least: Role): boolean {
  return role !== undefined && ORDER.indexOf(role) >= ORDER.indexOf(least)
}

/** Whether a caller with this role may use a route. Undefined: a caller who is let in, without a role. */
export function mayUse(role: Role | undefined, name: RouteName): boolean {
  const needed = ROLE_OF[name]
  return needed === 'anyone' || isAtLeast(role, needed)
}

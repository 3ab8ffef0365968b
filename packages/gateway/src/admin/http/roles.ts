import type { AuthInfo } from '@gantry/mcp/exchange'
import { ADMIN_SCOPE, OPERATOR_SCOPE, VIEWER_SCOPE, type RolesModel } from '../../model/index.ts'
import { ApiError } from '../api-error.ts'
import type { RouteName, Topic } from '../contract.ts'
import type { Caller, Role } from '../handlers.ts'

/** From the least to the most. Each may do what the ones before may. */
const ORDER: readonly Role[] = ['viewer', 'operator', 'admin']
const SCOPES: Readonly<Record<Role, string>> = {
  viewer: VIEWER_SCOPE,
  operator: OPERATOR_SCOPE,
  admin: ADMIN_SCOPE,
}

/**
 * What each route takes. Viewers read lists and figures: nothing that callers send or get, nothing that programs
 * print, and nothing that changes anything. Operators keep the gateway running. What can start another program, let
 * others in or change the file is for admins. `approver`: everyone who is let in, and the answer is made for them.
 */
export const ROLE_OF: Readonly<Record<RouteName, Role | 'approver'>> = {
  session: 'viewer',
  openSession: 'viewer',
  signOut: 'viewer',
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
  waiting: 'operator',
  approvals: 'approver',
  approval: 'approver',
  decideApproval: 'approver',
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

/** Topics of `events` that show what callers and programs say to operators only. */
const VIEWER_TOPICS: ReadonlySet<Topic> = new Set([
  'targets',
  'catalog',
  'wire',
  'clients',
  'config',
  'stats',
])

/** By scopes of the credential, else by groups of the person; undefined for those who have none. */
export function roleOf(
  { scopes, claims }: Pick<AuthInfo, 'scopes'> & Partial<Pick<AuthInfo, 'claims'>>,
  roles: RolesModel | undefined,
): Role | undefined {
  const groups = [claims?.groups].flat()
  const isIn = (role: Role): boolean => (roles?.[role] ?? []).some((group) => groups.includes(group))
  return ORDER.toReversed().find((role) => scopes.includes(SCOPES[role]) || isIn(role))
}

/** Whether a role is that of an operator, or more. */
export function isOperator(role: Role | undefined): boolean {
  return role !== undefined && ORDER.indexOf(role) >= ORDER.indexOf('operator')
}

/** Throws unless the caller may use the route: the one place where roles are compared. */
export function requireRole(name: RouteName | undefined, { role, principal }: Caller): void {
  const needed = name === undefined ? 'viewer' : ROLE_OF[name]
  if (needed === 'approver') return
  if (role !== undefined && ORDER.indexOf(role) >= ORDER.indexOf(needed)) return
  if (role === undefined) {
    throw new ApiError('forbidden', `${principal} may not administer the gateway`, {
      fix: `Give it the scope "${ADMIN_SCOPE}" in the configuration, under "auth", or one of its groups a role in "auth.roles".`,
    })
  }
  throw new ApiError('forbidden', `This takes the role ${needed}, and ${principal} has the role ${role}`, {
    fix: 'Ask for it to be done, or for a group that "auth.roles" names.',
  })
}

/** The query as this caller may ask it: viewers get their topics, whatever they ask for. */
export function narrowed(
  name: RouteName,
  query: Readonly<Record<string, unknown>>,
  { role }: Caller,
): Readonly<Record<string, unknown>> {
  if (name !== 'events' || role !== 'viewer') return query
  const asked = typeof query.topics === 'string' ? query.topics.split(',') : [...VIEWER_TOPICS]
  const allowed = asked.filter((topic) => VIEWER_TOPICS.has(topic.trim() as Topic))
  return { ...query, topics: allowed.length === 0 ? 'stats' : allowed.join(',') }
}

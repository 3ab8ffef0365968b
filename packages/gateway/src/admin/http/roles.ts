import { isJsonObject, type AuthInfo } from '@gantry/mcp/exchange'
import { ADMIN_SCOPE, OPERATOR_SCOPE, VIEWER_SCOPE, type RolesModel } from '../../model/index.ts'
import { ApiError } from '../api-error.ts'
import { mayUse, ROUTES, type Role, type RouteName, type Topic } from '../contract.ts'
import type { Caller } from '../handlers.ts'

/** The most first. */
const SCOPES: readonly (readonly [Role, scope: string])[] = [
  ['admin', ADMIN_SCOPE],
  ['operator', OPERATOR_SCOPE],
  ['viewer', VIEWER_SCOPE],
]

/** Topics of `events` that show what callers and programs say to operators only. */
const VIEWER_TOPICS: ReadonlySet<Topic> = new Set([
  'targets',
  'catalog',
  'exchanges',
  'clients',
  'config',
  'stats',
])

/** The role, by scopes of the credential, else by groups of the person; undefined without one. */
export function roleOf(
  { scopes, claims }: Pick<AuthInfo, 'scopes'> & Partial<Pick<AuthInfo, 'claims'>>,
  roles: RolesModel | undefined,
): Role | undefined {
  const groups = [claims?.groups].flat()
  const isIn = (role: Role): boolean => (roles?.[role] ?? []).some((group) => groups.includes(group))
  return SCOPES.find(([role, scope]) => scopes.includes(scope) || isIn(role))?.[0]
}

/** Throws unless the caller may use the route: the one place where roles are compared. */
export function requireRole(name: RouteName | undefined, { role, principal }: Caller): void {
  const isOpen = name === undefined ? role !== undefined : mayUse(role, name)
  if (isOpen) return
  if (role === undefined) {
    throw new ApiError('forbidden', `${principal} may not administer the gateway`, {
      fix: `Give it the scope "${ADMIN_SCOPE}" in the configuration, under "auth", or one of its groups a role in "auth.roles".`,
    })
  }
  throw new ApiError(
    'forbidden',
    `This takes the role ${ROUTES[name!].role}, and ${principal} has the role ${role}`,
    {
      fix: 'Ask for it to be done, or for a group that "auth.roles" names.',
    },
  )
}

/** The query as this caller may ask it: viewers get their topics, whatever they ask for. */
export function narrowed(
  name: RouteName,
  query: Readonly<Record<string, unknown>>,
  { role }: Caller,
): Readonly<Record<string, unknown>> {
  if (name !== 'events' || role !== 'viewer') return query
  const asked = typeof query.topics === 'string' ? query.topics.split(',') : [...VIEWER_TOPICS]
  // The topic `wire` makes the gateway keep messages, which viewers may not read.
  const meant = asked.map((topic) => (topic.trim() === 'wire' ? 'exchanges' : topic.trim()))
  const allowed = meant.filter((topic) => VIEWER_TOPICS.has(topic as Topic))
  return { ...query, topics: allowed.length === 0 ? 'stats' : allowed.join(',') }
}

/** Takes the place of texts of a target or its program. */
const FOR_OPERATORS = 'Operators can see why.'

/** An answer as this caller may read it: viewers get no words of targets and programs, only that something failed. */
export function withoutWords<T>(value: T, { role }: Caller): T {
  return role === 'viewer' ? (strip(value) as T) : value
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === 'error' && typeof member === 'string') return []
    if (name === 'problem' && isJsonObject(member))
      return [[name, { code: member.code, what: FOR_OPERATORS }]]
    if (name === 'gap' && isJsonObject(member)) return [[name, { ...member, reason: FOR_OPERATORS }]]
    return [[name, strip(member)]]
  })
  return Object.fromEntries(members)
}

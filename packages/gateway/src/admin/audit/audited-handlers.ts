import type { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditActor, AuditEvent } from '../../audit/index.ts'
import type { AuditTrail } from '../../audit/index.ts'
import { ROUTES, type RouteName } from '../contract.ts'
import type { Caller, Handlers } from '../handlers.ts'
import type { AnyRequest } from '../local-api.ts'

/** They change nothing, or are recorded as the requests that they send. */
const UNRECORDED: ReadonlySet<RouteName> = new Set([
  'checkConfig',
  'editEntry',
  'editView',
  'seen',
  'openView',
  'startCall',
  'answerQuestion',
  'replayExchange',
])
const NAMES: { readonly [name in RouteName]?: string } = { openSession: 'sign-in', signOut: 'sign-out' }
const ACTIVITIES = { POST: 'other', PUT: 'update', DELETE: 'delete', GET: 'read' } as const

type AnyHandler = (request: AnyRequest) => unknown

/** Records who changed what by the admin API. `author` names the person who changes the configuration. */
export function auditedHandlers(
  handlers: Handlers,
  trail: AuditTrail,
  author: AsyncLocalStorage<AuditActor>,
): Handlers {
  const audited = Object.entries(handlers).map(([name, handler]) => {
    const { method } = ROUTES[name as RouteName]
    if (method === 'GET' || UNRECORDED.has(name as RouteName)) return [name, handler]
    return [name, (request: AnyRequest) => run(name as RouteName, handler as AnyHandler, request)]
  })
  return Object.fromEntries(audited) as Handlers

  async function run(name: RouteName, handler: AnyHandler, request: AnyRequest): Promise<unknown> {
    const actor = actorOf(request.caller)
    try {
      const reply = await author.run(actor, () => handler(request))
      trail.add(eventOf(name, request, actor, undefined))
      return reply
    } catch (thrown) {
      trail.add(eventOf(name, request, actor, thrown as Error))
      throw thrown
    }
  }
}

function actorOf({ principal, auth }: Caller): AuditActor {
  return auth
    ? { principal: auth.principal, from: 'console' }
    : { client: { name: principal, version: '' }, from: 'console' }
}

function eventOf(
  name: RouteName,
  { params }: AnyRequest,
  actor: AuditActor,
  error: Error | undefined,
): AuditEvent {
  const { name: target, id } = (params ?? {}) as { name?: string; id?: string | number }
  return {
    at: Date.now(),
    operation: NAMES[name] ?? `admin/${name}`,
    activity: ACTIVITIES[ROUTES[name].method],
    actor,
    decision: 'allowed',
    status: error ? 'failure' : 'success',
    outcome: error ? 'error' : 'ok',
    detail: error?.message,
    target,
    more: { id },
  }
}

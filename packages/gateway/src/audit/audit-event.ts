import { isIP } from 'node:net'
import type { Principal } from '@gantry/mcp/exchange'

const CATEGORY = 6
const CLASS = 6003

/** What an activity does to what it is about; the numbers of OCSF. */
const ACTIVITIES = { create: 1, read: 2, update: 3, delete: 4, other: 99 } as const
export type Activity = keyof typeof ACTIVITIES

/** Who did something, from where. */
export interface AuditActor {
  readonly principal?: Principal | undefined
  /** The program that acts on behalf of the principal. */
  readonly invokedBy?: string | undefined
  readonly client?: { readonly name: string; readonly version?: string } | undefined
  readonly clientId?: string | undefined
  /** Never as it is: an id of a session opens it. */
  readonly session?: string | undefined
  /** The network address, or a word for callers without an address: `stdio`, `console`. */
  readonly from: string
}

/** What happened, without the moment: many calls of one caller have the same. */
export interface EventFacts {
  /** The method of a request, or what else happened: `sign-in`, `target/start`, `configuration/change`. */
  readonly operation: string
  readonly activity: Activity
  readonly actor: AuditActor
  /** Undefined: nothing was to be decided. */
  readonly decision?: 'allowed' | 'denied' | undefined
  readonly rule?: string | undefined
  readonly status: 'success' | 'failure' | 'other'
  /** In a word: `ok`, `tool-error`, `denied`… */
  readonly outcome: string
  readonly code?: number | string | undefined
  readonly detail?: string | undefined
  readonly target?: string | undefined
  /** What it is about: a tool, a prompt, a resource, a file. */
  readonly object?: { readonly type: string; readonly name: string } | undefined
  /** The revision that the client speaks. */
  readonly revision?: string | undefined
  /** Whether it tells how a request was decided, or how it ended too. */
  readonly stage?: 'decision' | 'outcome' | undefined
  /** The endpoint that was asked; empty for the common one. */
  readonly view?: string | undefined
}

/** One thing that was decided or that came to an end. */
export interface AuditEvent extends EventFacts {
  readonly at: number
  /** The number of the request in this process. */
  readonly request?: number | undefined
  /** Facts that OCSF has no place for. The outcome is added unless it is there already. */
  readonly more?: Readonly<Record<string, unknown>> | undefined
}

/** Takes secrets out of texts that others have written. */
export type Clean = (text: string) => string

const STATUS = { success: ['Success', 1], failure: ['Failure', 2], other: ['Other', 99] } as const

/** What the texts of like events have in common: all but the number of the request, the time and what is not mapped. */
export interface EventShape {
  /** Up to the request. */
  readonly front: string
  /** From there to the attestation. */
  readonly api: string
  readonly middle: string
  /** Up to the time. */
  readonly end: string
  readonly type: number
  readonly outcome: string
  readonly stage: string
  readonly view: string
}

/**
 * An event of the class API Activity (OCSF 6003). The members stand in the order of RFC 8785, so that the text is the
 * canonical form which is hashed: a test compares them. `hide` makes an id of a session that opens nothing.
 */
export function shapeOf(event: EventFacts, clean: Clean, hide: (session: string) => string): EventShape {
  const { decision, status, outcome, target, object, actor } = event
  const activity = ACTIVITIES[event.activity]
  const session = actor.session === undefined ? undefined : text(hide(actor.session))
  const client = actor.client && text(clean(actor.client.name))
  const service = target === undefined ? undefined : text(target)
  const operation = text(clean(event.operation))
  const name = object && text(clean(object.name))
  const [word, number] = STATUS[status]
  const action = decision === undefined ? 0 : decision === 'allowed' ? 1 : 2
  return {
    front:
      `{"action_id":${action},"activity_id":${activity},` +
      (activity === 99 ? `"activity_name":${operation},` : '') +
      `"actor":${actorOf(event, clean, client, session)},"api":{"operation":${operation}`,
    api: `${apiOf(event, service, clean)}},`,
    middle:
      `"category_uid":${CATEGORY},"class_uid":${CLASS},"disposition_id":${action},` +
      (service === undefined ? '' : `"dst_endpoint":{"svc_name":${service}},`) +
      `"message":${text(clean(`${event.operation}${object ? ` ${object.name}` : ''}: ${outcome}`))},` +
      (client === undefined && service === undefined
        ? ''
        : `"message_context":${contextOf(client, service, session)},`) +
      '"metadata":',
    end:
      (name === undefined ? '' : `,"resources":[{"name":${name},"role_id":1,"type":${text(object!.type)}}]`) +
      `,"severity_id":${decision === 'denied' ? 2 : 1},"src_endpoint":${endpointOf(actor.from)},` +
      `"status":"${status === 'other' ? outcome : word}",` +
      (event.code === undefined ? '' : `"status_code":${text(String(event.code))},`) +
      (event.detail === undefined ? '' : `"status_detail":${text(clean(event.detail))},`) +
      `"status_id":${number},"time":`,
    type: CLASS * 100 + activity,
    outcome,
    stage: event.stage ?? '',
    view: event.view ?? '',
  }
}

function text(value: string): string {
  return JSON.stringify(value)
}

function actorOf(
  { actor, decision, rule, revision }: EventFacts,
  clean: Clean,
  client: string | undefined,
  session: string | undefined,
): string {
  const { principal, clientId, invokedBy } = actor
  const parts: string[] = []
  if (client !== undefined) parts.push(`"app_name":${client}`)
  if (clientId !== undefined) parts.push(`"app_uid":${text(clean(clientId))}`)
  // Policy decides about requests of MCP, and about nothing else.
  if (decision !== undefined && (rule ?? revision) !== undefined) {
    const policy = `"policy":{"is_applied":true,"name":${text(rule ?? 'the default')}}`
    parts.push(`"authorizations":[{"decision":"${decision}",${policy}}]`)
  }
  if (invokedBy !== undefined) parts.push(`"invoked_by":${text(clean(invokedBy))}`)
  if (session !== undefined) parts.push(`"session":{"uid":${session}}`)
  if (principal) parts.push(`"user":${userOf(principal)}`)
  // OCSF wants to know something of each actor.
  else if (client === undefined) parts.push(`"user":${actor.from === 'gateway' ? ITSELF : UNKNOWN}`)
  return `{${parts.join(',')}}`
}

/** The kind stands there too: a person called like a key is another principal. */
function userOf({ kind, issuer, subject }: Principal): string {
  const id = text(subject)
  if (kind === 'key') return `{"credential_uid":${id},"name":${id},"type":"key","type_id":4,"uid":${id}}`
  const domain = issuer === undefined ? '' : `"domain":${text(issuer)},`
  return `{${domain}"name":${id},"type":"${kind}","type_id":${kind === 'person' ? 1 : 4},"uid":${id}}`
}

/** The gateway acts by itself. */
const ITSELF = '{"name":"gateway","type_id":3}'
const UNKNOWN = '{"name":"unknown","type_id":0}'

/** What follows the request. */
function apiOf(
  { code, status, detail, revision }: EventFacts,
  service: string | undefined,
  clean: Clean,
): string {
  const number = typeof code === 'number' ? `"code":${code},` : ''
  const response =
    status === 'failure' ? `,"response":{${number}"error":${text(clean(detail ?? 'failed'))}}` : ''
  return (
    response +
    (service === undefined ? '' : `,"service":{"name":${service}}`) +
    (revision === undefined ? '' : `,"version":${text(revision)}`)
  )
}

/** Which client talks to which server: of the profile ai_operation. */
function contextOf(client?: string, service?: string, session?: string): string {
  const parts = ['"ai_role_id":3']
  if (client !== undefined) parts.push(`"application":{"name":${client}}`)
  parts.push('"name":"mcp"')
  if (service !== undefined) parts.push(`"service":{"name":${service}}`)
  if (session !== undefined) parts.push(`"uid":${session}`)
  return `{${parts.join(',')}}`
}

function endpointOf(from: string): string {
  return `{"${isIP(from) === 0 ? 'name' : 'ip'}":${text(from)}}`
}

import type { JsonObject } from '../mcp.ts'
import type { Operation } from '../operations/operation.ts'
import { define, own } from '../own.ts'
import type { OperationPlan } from '../tools/tool-plan.ts'
import { buildBody } from './build-body.ts'
import { buildUrl } from './build-url.ts'
import { CallError } from './call-error.ts'
import type { Credential } from './credentials.ts'
import { contentText, encode, serializePairs, serializeSegment } from './serialize-value.ts'

export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string | Buffer<ArrayBuffer> | undefined
}

export interface RequestInputs {
  readonly base: URL
  readonly arguments: JsonObject
  /** The operator's headers and the forwarded ones: no argument can replace them. */
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: readonly Credential[]
}

/** Values that stay inside their header line; anything else is refused, not repaired. */
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/

export function buildRequest(plan: OperationPlan, inputs: RequestInputs): OutgoingRequest {
  const { operation } = plan
  const { parameters, body } = distribute(plan, inputs.arguments)
  const url = buildUrl(inputs.base, operation, parameters)
  const headers = new Headers({ accept: acceptFor(operation), 'user-agent': 'gantry' })
  const cookies: string[] = []
  for (const [parameter, value] of parameters) {
    if (parameter.in === 'cookie') cookies.push(...serializePairs(parameter.name, value, parameter))
    if (parameter.in !== 'header') continue
    const text = parameter.mediaType
      ? contentText(value, parameter.mediaType)
      : serializeSegment(parameter.name, value, parameter, (part) => part)
    setHeader(headers, parameter.name, text)
  }
  for (const [name, value] of Object.entries(inputs.headers)) setHeader(headers, name, value)
  const built =
    operation.body && body !== undefined ? buildBody(body, operation.body, plan.input.files) : undefined
  if (built) headers.set('content-type', built.mediaType)
  for (const credential of inputs.credentials) applyCredential(credential, url, headers, cookies)
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return { method: operation.method.toUpperCase(), url, headers, body: built?.content }
}

/** Sends each argument to its place. `null` for a parameter means that it was not given. */
function distribute(
  plan: OperationPlan,
  args: JsonObject,
): { parameters: Map<Operation['parameters'][number], unknown>; body: unknown } {
  const parameters = new Map<Operation['parameters'][number], unknown>()
  const fields: JsonObject = {}
  let body: unknown = plan.operation.body?.required && hasFields(plan) ? fields : undefined
  for (const [name, destination] of plan.input.destinations) {
    const value = own(args, name)
    if (value === undefined) continue
    if (destination.kind === 'body') body = value
    else if (destination.kind === 'field') {
      define(fields, destination.name, value)
      body = fields
    } else if (value !== null) parameters.set(destination.parameter, value)
  }
  return { parameters, body }
}

function hasFields(plan: OperationPlan): boolean {
  return [...plan.input.destinations.values()].some(({ kind }) => kind === 'field')
}

function setHeader(headers: Headers, name: string, value: string): void {
  if (!HEADER_VALUE.test(value)) {
    throw new CallError(`The value for the header ${name} has characters that a header cannot hold.`)
  }
  headers.set(name, value)
}

function applyCredential(credential: Credential, url: URL, headers: Headers, cookies: string[]): void {
  const { in: place, name, value } = credential
  if (place === 'header') headers.set(name, value)
  else if (place === 'cookie') cookies.push(`${name}=${value}`)
  else url.search += `${url.search === '' ? '?' : '&'}${encode(name)}=${encode(value)}`
}

/** What the description says it can answer, JSON first; anything is better than a 406. */
function acceptFor(operation: Operation): string {
  const types = operation.responses.flatMap((response) => response.contents.map(({ mediaType }) => mediaType))
  const usable = [...new Set(types)].filter((type) =>
    /^[\w.+*-]+\/[\w.+*-]+(\s*;\s*[\w.-]+=[\w.+-]+)*$/.test(type),
  )
  const json = usable.filter((type) => /[/+]json\b/i.test(type))
  const others = usable.filter((type) => !json.includes(type) && type !== '*/*')
  if (json.length === 0 && others.length === 0) return 'application/json, */*;q=0.5'
  return [...json, ...others.map((type) => (json.length > 0 ? `${type};q=0.5` : type)), '*/*;q=0.1'].join(
    ', ',
  )
}

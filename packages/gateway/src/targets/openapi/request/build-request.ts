import { randomBytes } from 'node:crypto'
import { isJsonObject, writeJson } from '@gantry/mcp/exchange'
import type { JsonObject } from '@gantry/mcp/server'
import type { Operation, RequestBody, Parameter } from '../operations/operation.ts'
import { define, own } from '../own.ts'
import type { OperationPlan } from '../tools/tool-plan.ts'
import { CallError } from './call-error.ts'
import type { Credential } from './credentials.ts'
import { contentText, encode, serializePairs, serializeSegment, toText } from './serialize-value.ts'
import type { OutgoingRequest } from './send-request.ts'
import { decodePercent } from '../../../model/index.ts'

export interface RequestInputs {
  readonly base: URL
  readonly arguments: JsonObject
  /** The operator's headers and the forwarded headers. No argument can replace them. */
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

/** The media types of the described answers, JSON first. Any answer is better than a 406. */
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

interface BuiltBody {
  readonly content: string | Buffer<ArrayBuffer>
  readonly mediaType: string
}

function buildBody(value: unknown, body: RequestBody, files: ReadonlySet<string>): BuiltBody {
  const { mediaType } = body
  switch (body.kind) {
    case 'json':
      return { content: writeJson(value), mediaType }
    case 'form':
      return { content: formText(fieldsOf(value), body), mediaType }
    case 'multipart': {
      const multipart = buildMultipart(fieldsOf(value), body, files)
      return { content: multipart.bytes, mediaType: multipart.mediaType }
    }
    case 'text':
      return { content: toText(value), mediaType }
    case 'binary': {
      const file = decodeFile(value, 'The body')
      return {
        content: file.bytes,
        mediaType: concrete(mediaType) ?? file.mediaType ?? 'application/octet-stream',
      }
    }
  }
}

function formText(fields: Record<string, unknown>, body: RequestBody): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    const encoding =
      body.encodings.get(name) ?? (isJsonObject(value) ? { mediaType: 'application/json' } : {})
    pairs.push(...serializePairs(name, value, encoding))
  }
  return pairs.join('&')
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (isJsonObject(value)) return value
  throw new CallError('The body must be an object: this operation takes a form.')
}

/** `image/*` is what the API takes, not what can be sent. */
function concrete(mediaType: string): string | undefined {
  return mediaType.includes('*') ? undefined : mediaType
}

// By hand: FormData gives a file name to each part with a media type, which servers take for an upload.

interface Part {
  readonly name: string
  readonly bytes: Buffer<ArrayBuffer>
  readonly mediaType?: string | undefined
  readonly filename?: string | undefined
}

function buildMultipart(
  fields: Readonly<Record<string, unknown>>,
  body: RequestBody,
  files: ReadonlySet<string>,
): { bytes: Buffer<ArrayBuffer>; mediaType: string } {
  const parts: Part[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    parts.push(...partsOf(name, value, body, files.has(name)))
  }
  const boundary = `gantry-${randomBytes(18).toString('hex')}`
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`),
    part.bytes,
    Buffer.from('\r\n'),
  ])
  const bytes = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  const subtype = body.mediaType.split(';', 1)[0]!.trim()
  return {
    bytes,
    mediaType: `${subtype.includes('*') ? 'multipart/form-data' : subtype}; boundary=${boundary}`,
  }
}

/** Lists become one part per item; a list of files several files (OpenAPI 3.1.1, "Encoding multipart"). */
function partsOf(name: string, value: unknown, body: RequestBody, isFile: boolean): Part[] {
  const encoding = body.encodings.get(name)
  if (encoding?.style !== undefined) {
    return serializePairs(name, value, { ...encoding, mediaType: undefined }).map(fromPair)
  }
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(name, item, body, isFile))
  const mediaType = encoding?.mediaType?.includes('*') ? undefined : encoding?.mediaType
  if (isFile || isDataUri(value)) return [filePart(name, decodeFile(value, name), mediaType)]
  if (isJsonObject(value)) {
    return [{ name, bytes: Buffer.from(writeJson(value)), mediaType: mediaType ?? 'application/json' }]
  }
  return [{ name, bytes: Buffer.from(toText(value)), mediaType }]
}

function filePart(name: string, file: FileValue, mediaType: string | undefined): Part {
  return {
    name,
    bytes: file.bytes,
    mediaType: file.mediaType ?? mediaType ?? 'application/octet-stream',
    filename: file.name ?? name,
  }
}

function fromPair(pair: string): Part {
  const [name, value] = pair.split('=', 2).map((side) => decodeURIComponent(side))
  return { name: name!, bytes: Buffer.from(value ?? '') }
}

function isDataUri(value: unknown): boolean {
  return typeof value === 'string' && /^data:[\w.+-]+\/[\w.+-]+(;[^,;]+)*;base64,/.test(value)
}

function headersOf(part: Part): string {
  const filename = part.filename === undefined ? '' : `; filename="${quote(part.filename)}"`
  const lines = [`Content-Disposition: form-data; name="${quote(part.name)}"${filename}`]
  if (part.mediaType !== undefined) lines.push(`Content-Type: ${part.mediaType.replace(/[^\x20-\x7e]/g, '')}`)
  return lines.join('\r\n')
}

/** As browsers do (HTML, "multipart/form-data encoding algorithm"): a name cannot add header lines. */
function quote(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '%0D%0A').replaceAll('"', '%22')
}

type ParameterValues = ReadonlyMap<Parameter, unknown>

/** The URL of a call. Values are encoded, and `.` and `..` refused, so no argument leaves its place. */
function buildUrl(base: URL, operation: Operation, values: ParameterValues): URL {
  const [template = '', fixedQuery] = operation.path.split('#', 1)[0]!.split('?', 2)
  const query = fixedQuery ? [fixedQuery] : []
  for (const [parameter, value] of values) {
    if (parameter.in === 'query') query.push(...serializePairs(parameter.name, value, parameter))
  }
  const prefix = base.pathname === '/' ? '' : base.pathname
  const url = new URL(base)
  url.pathname = prefix + expandPath(template, values)
  url.search = query.join('&')
  return url
}

function expandPath(template: string, values: ParameterValues): string {
  const path = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const [parameter, value] =
      [...values].find(([candidate]) => candidate.in === 'path' && candidate.name === name) ?? []
    if (parameter === undefined || value === null)
      throw new CallError(`The argument for {${name}} is missing.`)
    const text =
      parameter.mediaType === undefined
        ? serializeSegment(name, value, parameter, encode)
        : encode(contentText(value, parameter.mediaType))
    if (text === '') throw new CallError(`The argument for {${name}} must not be empty.`)
    return text
  })
  for (const segment of path.split('/')) {
    if (/^(\.|%2e){1,2}$/i.test(segment)) {
      throw new CallError(`"${decodeURIComponent(segment)}" cannot be a part of the path ${template}.`)
    }
  }
  return path
}

interface FileValue {
  readonly bytes: Buffer<ArrayBuffer>
  readonly mediaType: string | undefined
  readonly name: string | undefined
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** A file argument: Base64 (also the URL-safe alphabet, also with line breaks), or a `data:` URI (RFC 2397). */
function decodeFile(value: unknown, what: string): FileValue {
  if (typeof value !== 'string') throw new CallError(`${what} must be text: Base64 or a data: URI.`)
  const data = /^data:([^,]*),(.*)$/s.exec(value)
  if (!data) return { bytes: decodeBase64(value, what), mediaType: undefined, name: undefined }
  const [mediaType = '', ...parameters] = data[1]!.split(';').map((part) => part.trim())
  const isBase64 = parameters.at(-1)?.toLowerCase() === 'base64'
  const name = parameters.find((parameter) => /^(file)?name=/i.test(parameter))
  return {
    bytes: isBase64 ? decodeBase64(decodePercent(data[2]!), what) : Buffer.from(decodePercent(data[2]!)),
    mediaType: mediaType === '' ? undefined : mediaType,
    name: name === undefined ? undefined : decodePercent(name.slice(name.indexOf('=') + 1)),
  }
}

function decodeBase64(text: string, what: string): Buffer<ArrayBuffer> {
  const compact = text.replace(/\s+/g, '')
  if (!BASE64.test(compact)) throw new CallError(`${what} is not valid Base64; send Base64 or a data: URI.`)
  return Buffer.from(compact, 'base64')
}

import type { Json, WireDetail, WireMessage } from '../../../api/contract.ts'
import { isJsonObject, readJson, writeJson } from '../../../api/json.ts'
import { toExchange } from './to-exchange.ts'

/** HTTP Archive 1.2. Members with an underscore are ours: they bring back what HTTP does not say. */
interface HarEntry {
  readonly startedDateTime: string
  readonly time: number
  readonly request: { readonly url: string; readonly postData?: { readonly text?: string } }
  readonly response: {
    readonly status: number
    readonly content: { readonly size?: number; readonly text?: string }
  }
  readonly _exchange?: WireDetail
}

/** Each exchange as the POST that a client makes. */
export function toHar(exchanges: readonly WireDetail[]): string {
  const entries = exchanges.map((exchange) => {
    const request = bodyOf(exchange.hops.find(isClientRequest))
    const response = bodyOf(exchange.hops.findLast(isClientAnswer))
    const time = exchange.duration ?? 0
    return {
      startedDateTime: new Date(exchange.at).toISOString(),
      time,
      request: {
        method: 'POST',
        url: `${location.origin}/mcp`,
        httpVersion: 'HTTP/1.1',
        headers: [{ name: 'mcp-protocol-version', value: exchange.client.revision }],
        cookies: [],
        queryString: [],
        headersSize: -1,
        bodySize: request.length,
        postData: { mimeType: 'application/json', text: request },
      },
      response: {
        status: 200,
        statusText: 'OK',
        httpVersion: 'HTTP/1.1',
        headers: [],
        cookies: [],
        redirectURL: '',
        headersSize: -1,
        bodySize: response.length,
        content: { size: response.length, mimeType: 'application/json', text: response },
      },
      cache: {},
      timings: { send: 0, wait: time, receive: 0 },
      _exchange: exchange,
    }
  })
  const log = { version: '1.2', creator: { name: 'Gantry', version: '1' }, entries }
  return writeJson({ log }, undefined, 1)
}

function isClientRequest({ hop, direction, type }: WireMessage): boolean {
  return hop === 'client' && direction === 'in' && type === 'request'
}

function isClientAnswer({ hop, direction, type }: WireMessage): boolean {
  return hop === 'client' && direction === 'out' && (type === 'response' || type === 'error')
}

function bodyOf(message: WireMessage | undefined): string {
  if (!message) return ''
  if (typeof message.message === 'string') return message.message
  return writeJson({ jsonrpc: '2.0', ...(message.message as object) })
}

/** The exchanges of an archive of any origin: what is no JSON-RPC, or not as archives are, is left out. */
export function fromHar(archive: { readonly log?: { readonly entries?: unknown } }): WireDetail[] {
  const entries: readonly unknown[] = Array.isArray(archive.log?.entries) ? archive.log.entries : []
  return entries.flatMap((entry, index) => {
    return fromEntry((entry ?? {}) as Partial<HarEntry>, index + 1) ?? []
  })
}

function fromEntry(entry: Partial<HarEntry>, id: number): WireDetail | undefined {
  const own = toExchange(entry._exchange)
  if (own) return own
  const request = parse(entry.request?.postData?.text)
  return request && toExchange(exchangeOf(entry, request, id))
}

type Message = { readonly [key: string]: unknown }

function exchangeOf(entry: Partial<HarEntry>, request: Message, id: number): unknown {
  const text = entry.response?.content?.text
  const response = parse(text) ?? lastEvent(text)
  const params = (request.params ?? {}) as Message
  const meta = (params._meta ?? {}) as Message
  const info = meta['io.modelcontextprotocol/clientInfo'] as { name?: string } | undefined
  const name = params.name ?? params.uri
  const at = Date.parse(entry.startedDateTime ?? '') || 0
  const time = Number(entry.time) || 0
  const duration = time > 0 ? time : undefined
  const hops = [request, response].flatMap((message, seq): WireMessage[] =>
    message ? [hopOf(message, seq, at, time)] : [],
  )
  const failed = response?.error ?? (Number(entry.response?.status) >= 400 || undefined)
  const isToolError = (response?.result as Message | undefined)?.isError === true
  return {
    id,
    at,
    method: request.method,
    ...(typeof name === 'string' && { name }),
    client: {
      ...(typeof info?.name === 'string' && { name: info.name }),
      revision: String(meta['io.modelcontextprotocol/protocolVersion'] ?? ''),
    },
    status: failed ? 'error' : isToolError ? 'tool-error' : 'ok',
    ...(duration !== undefined && { duration }),
    ...(typeof text === 'string' && { bytes: text.length }),
    messages: hops.length,
    hops,
  }
}

function hopOf(message: Message, seq: number, at: number, time: number): WireMessage {
  const isRequest = seq === 0
  const offset = isRequest ? 0 : time
  return {
    seq,
    at: at + offset,
    offset,
    hop: 'client',
    direction: isRequest ? 'in' : 'out',
    type: isRequest ? 'request' : message.error === undefined ? 'response' : 'error',
    ...(isRequest && { method: message.method as string }),
    message: message as Json,
    bytes: writeJson(message).length,
    truncated: false,
  }
}

function parse(text: unknown): Message | undefined {
  const value = readJson(String(text ?? ''))?.value
  return isJsonObject(value) ? value : undefined
}

/** The answer comes last in a stream of events. */
function lastEvent(text: unknown): Message | undefined {
  const events = [...String(text ?? '').matchAll(/^data: ?(.*)$/gm)]
  return parse(events.at(-1)?.[1])
}

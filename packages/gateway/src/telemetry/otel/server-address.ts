import { parseUrl } from '@gantry/mcp/foreign'
import type { TraceAttributes } from '@gantry/mcp/tracing'
import { reveal, type TargetModel } from '../../model/index.ts'

const known = new WeakMap<TargetModel, TraceAttributes>()

/** The host and port of a target with a URL. Nothing else of the URL: it may have credentials. */
export function serverAddress(target: TargetModel): TraceAttributes {
  let attributes = known.get(target)
  if (!attributes) {
    attributes = target.kind === 'url' ? addressOf(reveal(target.url)) : {}
    known.set(target, attributes)
  }
  return attributes
}

const texts = new WeakMap<TargetModel, string>()

/** The same as one text. */
export function addressText(target: TargetModel): string {
  let text = texts.get(target)
  if (text === undefined) {
    text = Object.values(serverAddress(target)).join(':')
    texts.set(target, text)
  }
  return text
}

function addressOf(text: string): TraceAttributes {
  const url = parseUrl(text)
  if (!url || url.hostname === '') return {}
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { 'server.address': url.hostname, 'server.port': port }
}

const PIPE: TraceAttributes = { 'network.transport': 'pipe' }
const HTTP: TraceAttributes = { 'network.transport': 'tcp', 'network.protocol.name': 'http' }
const NONE: TraceAttributes = {}

/** `stdio` is a pipe, HTTP in all its forms is TCP; what runs in this process has no network. */
export function networkOf(transport: string): Readonly<TraceAttributes> {
  if (transport === 'stdio') return PIPE
  return transport === 'http' || transport === 'sse' ? HTTP : NONE
}

/** Transports on which messages travel as MCP. */
const WIRES: ReadonlySet<string> = new Set(['stdio', 'http', 'sse', 'socket', 'memory'])

export function isWire(transport: string): boolean {
  return WIRES.has(transport)
}

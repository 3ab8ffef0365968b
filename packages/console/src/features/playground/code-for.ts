import type { JsonObject } from '../../api/contract.ts'
import { writeJson } from '../../api/json.ts'
import type { ClientSettings } from './client-settings.ts'
import type { Request } from './to-request.ts'

const ACCEPT = "-H 'content-type: application/json' -H 'accept: application/json, text/event-stream'"
const INFO = { name: 'curl', version: '1' }

/** For a shell. Legacy revisions need a session first; modern requests stand alone. */
export function toCurl(
  endpoint: string,
  { method, params }: Request,
  { era, revision }: Pick<ClientSettings, 'era' | 'revision'>,
): string {
  if (era === 'modern') {
    const name = params.name ?? params.uri
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': INFO,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = [
      `-H 'mcp-protocol-version: ${revision}'`,
      `-H ${quote(`mcp-method: ${method}`)}`,
      ...(typeof name === 'string' ? [`-H ${quote(`mcp-name: ${headerValue(name)}`)}`] : []),
    ]
    return [
      `curl -sN ${quote(endpoint)} ${ACCEPT}`,
      `  ${headers.join(' ')}`,
      `  -d ${body(1, method, { ...params, _meta })}`,
    ].join(' \\\n')
  }
  const initialize = { protocolVersion: revision, capabilities: {}, clientInfo: INFO }
  const session = `-H "mcp-session-id: $SESSION" -H 'mcp-protocol-version: ${revision}'`
  return [
    `SESSION=$(curl -s -o /dev/null -D - ${quote(endpoint)} ${ACCEPT} \\`,
    `  -d ${body(0, 'initialize', initialize)} | tr -d '\\r' | sed -n 's/^mcp-session-id: //Ip')`,
    `curl -s ${quote(endpoint)} ${ACCEPT} ${session} \\`,
    `  -d '{"jsonrpc":"2.0","method":"notifications/initialized"}'`,
    `curl -sN ${quote(endpoint)} ${ACCEPT} ${session} \\`,
    `  -d ${body(1, method, params)}`,
  ].join('\n')
}

/** For the gateway's own command line, where it has a command for it. */
export function toCli({ method, params }: Request): string | undefined {
  const args = params.arguments as JsonObject | undefined
  const json = args && Object.keys(args).length > 0 ? ` ${quote(writeJson(args))}` : ''
  if (method === 'tools/call') return `gantry call ${quote(String(params.name))}${json}`
  if (method === 'prompts/get') return `gantry prompt ${quote(String(params.name))}${json}`
  if (method === 'resources/read') return `gantry read ${quote(String(params.uri))}`
  return undefined
}

export function toSdk(endpoint: string, { method, params }: Request): string {
  const text = (value: unknown) => writeJson(value, undefined, 2)
  const name = text(params.name ?? params.uri)
  const args = params.arguments === undefined ? '' : `, ${text(params.arguments)}`
  const calls: Record<string, string> = {
    'tools/call': `client.call(${name}${args})`,
    'prompts/get': `client.getPrompt(${name}${args})`,
    'resources/read': `client.readResource(${name})`,
  }
  return [
    "import { connect } from '@gantry/mcp/client'",
    '',
    `const client = await connect(${text(endpoint)})`,
    `const result = await ${calls[method] ?? `client.request(${text(method)}, ${text(params)})`}`,
    'console.log(result)',
    'await client.close()',
    '',
  ].join('\n')
}

function body(id: number, method: string, params: JsonObject): string {
  return quote(writeJson({ jsonrpc: '2.0', id, method, params }))
}

function quote(text: string): string {
  return /^[\w:/.@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Header values are plain ASCII; others travel in base64 (2026-07-28, Streamable HTTP, "Value Encoding"). */
function headerValue(text: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return text
  return `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`
}

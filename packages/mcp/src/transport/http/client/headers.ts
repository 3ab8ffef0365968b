import { isJsonObject, McpError, type JsonRpcMessage } from '../../../jsonrpc/index.ts'
import { META, methodFacts } from '../../../protocol/index.ts'
import { encodeHeaderValue } from '../../../protocol/encoding.ts'

/** The revision that a message's own envelope names; undefined for messages of legacy revisions. */
export function envelopeVersion(message: JsonRpcMessage): string | undefined {
  const meta = 'method' in message ? message.params?._meta : undefined
  const version = isJsonObject(meta) ? meta[META.protocolVersion] : undefined
  return typeof version === 'string' ? version : undefined
}

export function addModernHeaders(
  headers: Record<string, string>,
  message: JsonRpcMessage,
  version: string,
): void {
  headers['mcp-protocol-version'] = encodeHeaderValue(version)
  if (!('method' in message)) return
  headers['mcp-method'] = encodeHeaderValue(message.method)
  const source = methodFacts(message.method)?.named
  const name = source === undefined ? undefined : message.params?.[source]
  if (typeof name === 'string') headers['mcp-name'] = encodeHeaderValue(name)
}

/** Arguments mirrored into `Mcp-Param-*` come as they are; others are headers already. */
export function encodeMirrored(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      /^mcp-param-/i.test(name) ? [name, encodeHeaderValue(value)] : [name, value],
    ),
  )
}

/** Copies headers under lower-case names, so that the same header given twice is sent once. */
export function copyHeaders(target: Record<string, string>, source: Record<string, string>): void {
  for (const [name, value] of Object.entries(source)) {
    // The value is not shown: it may be a credential.
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new McpError('invalid_config', `The header ${JSON.stringify(name)} cannot be sent over HTTP`)
    }
    target[name.toLowerCase()] = value
  }
}

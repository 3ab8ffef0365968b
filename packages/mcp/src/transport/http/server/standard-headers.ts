import type { MirroredParameter } from '../../../exchange/index.ts'
import {
  HEADER_MISMATCH,
  isJsonObject,
  ProtocolError,
  toNumber,
  type JsonRpcRequest,
} from '../../../jsonrpc/index.ts'
import { argumentAt, META, methodFacts } from '../../../protocol/index.ts'
import { decodeHeaderValue } from '../../../protocol/encoding.ts'
import type { HttpHeaders } from './reply.ts'

/** Headers must mirror the body (2026-07-28, Server Validation), or −32020. */
export function checkStandardHeaders(request: JsonRpcRequest, headers: HttpHeaders): void {
  const meta = request.params?._meta
  const version = isJsonObject(meta) ? meta[META.protocolVersion] : undefined
  if (typeof version === 'string')
    expectEqual('MCP-Protocol-Version', headers['mcp-protocol-version'], version)
  expectEqual('Mcp-Method', headers['mcp-method']?.trim(), request.method)
  const member = methodFacts(request.method)?.named
  const name = member && request.params?.[member]
  if (typeof name === 'string') {
    const sent = decoded('Mcp-Name', headers['mcp-name'])
    // Real clients leave it out for tasks. The body alone names the task then, and no intermediary acts on another.
    if (sent !== undefined || member !== 'taskId') expectEqual('Mcp-Name', sent, name)
  }
}

/** The same for an argument that its tool wants mirrored. */
export function checkParameter(parameter: MirroredParameter, args: unknown, headers: HttpHeaders): void {
  const name = `Mcp-Param-${parameter.header}`
  const sent = decoded(name, headers[name.toLowerCase()])
  const value = argumentAt(args, parameter.path)
  if (value === undefined || value === null) {
    if (sent !== undefined) throw mismatch(`${name} is sent, but the argument is not`)
    return
  }
  if (sent === undefined) throw mismatch(`${name} is missing`)
  const number = toNumber(value)
  // Different integers beyond 2^53 may be one double: only their digits tell them apart.
  const isWide = Number.isInteger(number) && !Number.isSafeInteger(number)
  const equal = sent === String(value) || (sent !== '' && !isWide && Number(sent) === number)
  if (!equal) throw mismatch(`${name} does not match the argument`)
}

function decoded(name: string, raw: string | undefined): string | undefined {
  if (raw === undefined) return undefined
  const value = decodeHeaderValue(raw.trim())
  if (!value.ok) throw mismatch(`${name} is not validly encoded`)
  return value.value
}

function expectEqual(name: string, sent: string | undefined, expected: string): void {
  if (sent === undefined) throw mismatch(`${name} is missing`)
  if (sent !== expected)
    throw mismatch(`${name} is "${sent.slice(0, 200)}", the body says "${expected.slice(0, 200)}"`)
}

function mismatch(what: string): ProtocolError {
  return new ProtocolError(HEADER_MISMATCH, `Header mismatch: ${what}`)
}

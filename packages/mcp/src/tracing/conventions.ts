import type { Outcome } from '../exchange/exchange.ts'
import { outlineOf } from '../exchange/received-result.ts'
import { McpError } from '../jsonrpc/index.ts'
import { methodFacts } from '../protocol/revisions.ts'

/** Attributes of a span or of a measurement. */
export type TraceAttributes = Record<string, string | number>

/** Which end of a request reports it. */
export type TracedSide = 'server' | 'client'

/** How a request ended, in the words of the semantic conventions. */
export interface TracedEnd {
  readonly attributes: TraceAttributes
  /** Whether the span has the status ERROR. */
  readonly failed: boolean
  /** The message of the JSON-RPC error. */
  readonly message?: string | undefined
}

/** Mistakes of the caller: the server that reports them has not failed (semantic conventions for MCP, server spans). */
const CALLERS: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32002])
/** Answers which say that what was named is not there. */
const UNKNOWN: ReadonlySet<number> = new Set([-32601, -32602, -32002])

const OK: TracedEnd = { attributes: {}, failed: false }
const TOOL_ERROR: TracedEnd = { attributes: { 'error.type': 'tool_error' }, failed: true }

/** Methods that no revision has are made up by a peer: as labels they have one name. */
export function methodLabel(method: string): string {
  return methodFacts(method) ? method : '_OTHER'
}

/** Attributes of a request by its method. Give a name only where it is known that the server has it. */
export function requestAttributes(method: string, name: string | undefined): TraceAttributes {
  const attributes: TraceAttributes = { 'mcp.method.name': method }
  if (method === 'tools/call') attributes['gen_ai.operation.name'] = 'execute_tool'
  if (name === undefined) return attributes
  if (method === 'tools/call') attributes['gen_ai.tool.name'] = name
  else if (method === 'prompts/get') attributes['gen_ai.prompt.name'] = name
  else if (method.startsWith('resources/')) attributes['mcp.resource.uri'] = name
  return attributes
}

/** `{method} {tool}`. A URI would make too many names. */
export function spanName(method: string, name: string | undefined): string {
  return name === undefined || method.startsWith('resources/') ? method : `${method} ${name}`
}

/** The object of a request: a tool, a prompt or a resource. */
export function namedIn(method: string, params: { readonly [member: string]: unknown }): string | undefined {
  const named =
    method === 'tools/call' || method === 'prompts/get'
      ? params.name
      : method.startsWith('resources/')
        ? params.uri
        : undefined
  return typeof named === 'string' ? named : undefined
}

export function endOf(outcome: Outcome, side: TracedSide): TracedEnd {
  if (outcome.type === 'complete') return outlineOf(outcome).isError === true ? TOOL_ERROR : OK
  if (outcome.type !== 'error') return OK
  const { code, message } = outcome.error
  const attributes: TraceAttributes = { 'rpc.response.status_code': String(code) }
  if (side === 'server' && CALLERS.has(code)) return { attributes, failed: false }
  attributes['error.type'] = String(code)
  return { attributes, failed: true, message }
}

/** The end of a request that got no answer. */
export function endOfThrown(thrown: unknown): TracedEnd {
  const { code } = McpError.from(thrown)
  return { attributes: { 'error.type': code }, failed: true }
}

/** Whether the answer says that the tool, prompt or resource does not exist. */
export function isUnknown(outcome: Outcome): boolean {
  return outcome.type === 'error' && UNKNOWN.has(outcome.error.code)
}

/** Bounds of the four histograms, in seconds, as the conventions advise. */
export const DURATION_BUCKETS: readonly number[] = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
]

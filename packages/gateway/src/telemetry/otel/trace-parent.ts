import type { SpanContext } from '@opentelemetry/api'
import { parseTraceParent, TraceState } from '@opentelemetry/core'
import { copyWith, isJsonObject, type Exchange, type JsonObject } from '@gantry/mcp/exchange'

const INVALID = /^0+$/
/** W3C Trace Context, section 3.3.1.5, and W3C Baggage, section 3.3.2: more need not be passed on. */
const LONGEST_STATE = 512
const LONGEST_BAGGAGE = 8192
/** A peer decides what it sends: an exact `traceparent` has 55 characters. */
const LONGEST_PARENT = 128

/** Where a request comes from: its parent, and the span of the HTTP request where that is another. */
export interface Parents {
  readonly parent: SpanContext | undefined
  readonly link: SpanContext | undefined
}

/** What `_meta` says goes before what HTTP says: one HTTP request is not one MCP request. */
export function parentsOf({ params, headers }: Pick<Exchange, 'params' | 'headers'>): Parents {
  const told = isJsonObject(params._meta) ? params._meta : undefined
  const inMeta = told && contextOf(told.traceparent, told.tracestate)
  const ambient = headers && contextOf(headers.traceparent, headers.tracestate)
  return inMeta ? { parent: inMeta, link: ambient } : { parent: ambient, link: undefined }
}

function contextOf(parent: unknown, state: unknown): SpanContext | undefined {
  if (typeof parent !== 'string' || parent.length > LONGEST_PARENT) return undefined
  const context = parseTraceParent(parent)
  if (!context || INVALID.test(context.traceId) || INVALID.test(context.spanId)) return undefined
  context.isRemote = true
  if (typeof state === 'string' && state.length <= LONGEST_STATE) context.traceState = new TraceState(state)
  return context
}

/** The params that a target gets: the span that asks is the parent. State and baggage travel on as they came. */
export function withParent(params: JsonObject, parent: string, isContinued: boolean): JsonObject {
  const meta = copyWith(isJsonObject(params._meta) ? params._meta : {}, 'traceparent', parent)
  // State belongs to a parent: without one that holds, it means nothing.
  if ('tracestate' in meta && !(isContinued && isShort(meta.tracestate, LONGEST_STATE)))
    delete meta.tracestate
  if ('baggage' in meta && !isShort(meta.baggage, LONGEST_BAGGAGE)) delete meta.baggage
  return copyWith(params, '_meta', meta)
}

function isShort(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length <= length
}

export function toTraceParent(traceId: string, spanId: string, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

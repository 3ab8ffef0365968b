import { parseTraceParent } from '@opentelemetry/core'
import { isJsonObject, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import type { SpanPlace } from './span-record.ts'

/** W3C Trace Context, section 3.3.1.5, and W3C Baggage, section 3.3.2: more need not be passed on. */
const LONGEST_STATE = 512
const LONGEST_BAGGAGE = 8192
/** A peer decides what it sends: an exact `traceparent` has 55 characters. */
const LONGEST_PARENT = 128

/** Where a request comes from: its parent, and the span of the HTTP request where that is another. */
export interface Parents {
  readonly parent: SpanPlace | undefined
  readonly link: SpanPlace | undefined
}

const NONE: Parents = { parent: undefined, link: undefined }

/** What `_meta` says goes before what HTTP says: one HTTP request is not one MCP request. */
export function parentsOf({ params, headers }: Pick<Exchange, 'params' | 'headers'>): Parents {
  const told = isJsonObject(params._meta) ? params._meta : undefined
  const inMeta = told && contextOf(told.traceparent, told.tracestate)
  const ambient = headers && contextOf(headers.traceparent, headers.tracestate)
  if (inMeta) return { parent: inMeta, link: ambient }
  return ambient ? { parent: ambient, link: undefined } : NONE
}

function contextOf(parent: unknown, state: unknown): SpanPlace | undefined {
  if (typeof parent !== 'string' || parent.length > LONGEST_PARENT) return undefined
  const context = parseTraceParent(parent)
  if (!context) return undefined
  const { traceId, spanId, traceFlags } = context
  const isShortState = typeof state === 'string' && state.length <= LONGEST_STATE
  return { traceId, spanId, traceFlags, isRemote: true, state: isShortState ? state : undefined }
}

/** Takes out of the `_meta` for a target what may not travel on. State and baggage go on as they came. */
export function limitTraceMeta(meta: JsonObject, isContinued: boolean): void {
  // State belongs to a parent: without one that holds, it means nothing.
  if (meta.tracestate !== undefined && !(isContinued && isShort(meta.tracestate, LONGEST_STATE)))
    delete meta.tracestate
  if (meta.baggage !== undefined && !isShort(meta.baggage, LONGEST_BAGGAGE)) delete meta.baggage
}

function isShort(value: unknown, length: number): boolean {
  return typeof value === 'string' && value.length <= length
}

export function toTraceParent(traceId: string, spanId: string, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}

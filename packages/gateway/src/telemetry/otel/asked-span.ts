import type { Exchange, JsonObject, Outcome } from '@gantry/mcp/exchange'
import {
  endOf,
  endOfThrown,
  requestAttributes,
  type TraceAttributes,
  type TracedEnd,
} from '@gantry/mcp/tracing'
import type { TargetModel } from '../../model/index.ts'
import type { DurationSeries, Labelled } from '../operation-durations.ts'
import type { AskedLink, AskSpan } from '../tracer.ts'
import { networkOf, serverAddress } from './server-address.ts'
import { limitTraceMeta } from './trace-parent.ts'

/** Where the span of a request to a target belongs. */
export interface AskingTrace {
  /** What the target learns: which span asked, and whether it is sent. */
  traceParent(spanId: string): string
  /** Whether the trace began at a caller, whose state travels on. */
  readonly isContinued: boolean
  asked(span: AskedSpan): void
}

/** What a target was asked, and how that ended. Most of these are never sent, so there is one plain object for each. */
export class AskedSpan implements AskSpan, Labelled {
  readonly spanId: string
  readonly method: string
  readonly name: string | undefined
  readonly link: AskedLink
  readonly target: TargetModel
  readonly began: number = performance.now()
  ended = 0
  /** Undefined while it is under way. */
  result: TracedEnd | undefined
  /** Where its duration was counted; undefined for what is no MCP. */
  series: DurationSeries | undefined
  /** The id that the request had on its wire. */
  requestId: Exchange['id']
  readonly #trace: AskingTrace

  constructor(
    trace: AskingTrace,
    spanId: string,
    asked: Pick<AskedSpan, 'method' | 'name' | 'link' | 'target'>,
  ) {
    this.#trace = trace
    this.spanId = spanId
    this.method = asked.method
    this.name = asked.name
    this.link = asked.link
    this.target = asked.target
  }

  addTo(meta: JsonObject): void {
    meta.traceparent = this.#trace.traceParent(this.spanId)
    limitTraceMeta(meta, this.#trace.isContinued)
  }

  /** The first of several requests: a call may take several rounds. */
  sent(id: NonNullable<Exchange['id']>): void {
    this.requestId ??= id
  }

  end(outcome: Outcome): void {
    this.#end(endOf(outcome, 'client'))
  }

  fail(thrown: unknown): void {
    this.#end(endOfThrown(thrown))
  }

  #end(result: TracedEnd): void {
    this.ended = performance.now()
    this.result = result
    this.#trace.asked(this)
  }

  labels(): TraceAttributes {
    const { link } = this
    return {
      ...requestAttributes(this.method, this.name),
      'mcp.protocol.version': link.version,
      ...networkOf(link.transport),
      ...serverAddress(this.target),
      ...this.result?.attributes,
    }
  }

  /** What the span says beside that. */
  attributes(): TraceAttributes {
    const { requestId } = this
    return { ...this.labels(), ...(requestId !== undefined && { 'jsonrpc.request.id': String(requestId) }) }
  }
}

import { createHash } from 'node:crypto'
import { SpanKind, TraceFlags } from '@opentelemetry/api'
import type { Exchange, Outcome } from '@gantry/mcp/exchange'
import {
  endOf,
  methodLabel,
  namedIn,
  requestAttributes,
  spanName,
  type TraceAttributes,
  type TracedEnd,
} from '@gantry/mcp/tracing'
import type { TargetModel } from '../../model/index.ts'
import {
  keepExemplar,
  type DurationSeries,
  type Labelled,
  type OperationDurations,
} from '../operation-durations.ts'
import type { AskedLink, AskSpan, RequestTrace, TracedExchange } from '../tracer.ts'
import { AskedSpan, type AskingTrace } from './asked-span.ts'
import type { IdPool } from './id-pool.ts'
import { addressText, isWire, networkOf } from './server-address.ts'
import type { Kept, SpanPlace, SpanRecord, TailDecision } from './span-record.ts'
import { StepTimes } from './step-times.ts'
import { parentsOf, toTraceParent, type Parents } from './trace-parent.ts'

/** What the traces of a gateway share. */
export interface TraceServices {
  readonly durations: OperationDurations
  readonly tail: TailDecision
  readonly ids: IdPool
  /** Whether a trace that begins here is one of the share. */
  isSampled(traceId: string): boolean
  send(span: SpanRecord): void
  /** Text without secrets, and not too long. */
  clean(text: string): string
  hasSecrets(text: string): boolean
  /** Arguments and results as JSON without secrets; undefined where they are not wanted. */
  readonly body: ((value: unknown) => string) | undefined
}

/** More spans of one request are not kept: it may ask its target again and again. */
const MAX_SPANS = 128

/** A span of the gateway's own work. */
type Step = Pick<SpanRecord, 'name' | 'began' | 'ended'>

/** How a request ended, and what it was: what its labels are made of. */
class RequestFacts implements Labelled {
  readonly method: string
  readonly name: string | undefined
  readonly version: string
  readonly transport: string
  readonly end: TracedEnd

  constructor(exchange: TracedExchange, name: string | undefined, end: TracedEnd, method: string) {
    this.method = method
    this.name = name
    this.version = exchange.client.version
    this.transport = exchange.headers ? 'http' : 'stdio'
    this.end = end
  }

  labels(): TraceAttributes {
    return {
      ...requestAttributes(this.method, this.name),
      'mcp.protocol.version': this.version,
      ...networkOf(this.transport),
      ...this.end.attributes,
    }
  }
}

/**
 * The trace of one request. While it is under way it only notes times: most requests end well and quickly, and are not
 * of the share. Spans are made when it is known that they are sent.
 */
export class OtelRequestTrace implements RequestTrace, AskingTrace {
  readonly traceId: string
  readonly #services: TraceServices
  readonly #parents: Parents
  readonly #sampled: boolean
  readonly #began = performance.now()
  readonly #method: string
  #ownId: string | undefined
  readonly #steps = new StepTimes()
  #further: Step[] | undefined
  #asked: AskedSpan[] | undefined
  #isEnded = false
  /** Why it is sent; undefined while that is not known, and when it is not. */
  #kept: Kept | undefined

  constructor(exchange: TracedExchange, services: TraceServices) {
    this.#services = services
    this.#parents = parentsOf(exchange)
    const { parent } = this.#parents
    this.traceId = parent?.traceId ?? services.ids.trace()
    this.#sampled = parent ? (parent.traceFlags & TraceFlags.SAMPLED) !== 0 : services.isSampled(this.traceId)
    this.#method = methodLabel(exchange.method)
  }

  /** Made when it is needed: most requests are not sent. */
  get #spanId(): string {
    this.#ownId ??= this.#services.ids.span()
    return this.#ownId
  }

  get isContinued(): boolean {
    return this.#parents.parent !== undefined
  }

  traceParent(spanId: string): string {
    return toTraceParent(this.traceId, spanId, this.#sampled)
  }

  enter(name: string): void {
    if (!this.#isEnded) this.#steps.enter(name)
  }

  step(name: string, began: number): void {
    const step = { name, began, ended: performance.now() }
    // A task of a caller runs on when the request that made it has been answered.
    if (this.#isEnded) return this.#sendStep(step)
    if (!this.#further) this.#further = [step]
    else if (this.#further.length < MAX_SPANS) this.#further.push(step)
  }

  ask(exchange: Exchange, link: AskedLink, target: TargetModel): AskSpan {
    const { clean, ids } = this.#services
    const method = methodLabel(exchange.method)
    const named = namedIn(method, exchange.params)
    return new AskedSpan(this, ids.span(), { method, name: named && clean(named), link, target })
  }

  asked(span: AskedSpan): void {
    const { method, name, link, target, result } = span
    const { version, transport } = link
    if (isWire(transport)) {
      const place = { version, transport, address: addressText(target) }
      span.series = this.#measure(
        'client',
        span,
        span.ended - span.began,
        keyOf(method, name, place, result!),
      )
    }
    if (this.#isEnded) return this.#sendAsked(span)
    if (!this.#asked) this.#asked = [span]
    else if (this.#asked.length < MAX_SPANS) this.#asked.push(span)
  }

  end(outcome: Outcome, exchange: TracedExchange): void {
    const now = performance.now()
    const end = endOf(outcome, 'server')
    // A name that is not in the catalog was made up by a caller, or the caller may not know it.
    const named = exchange.resolved && namedIn(this.#method, exchange.origin.params)
    const name = named && this.#services.clean(named)
    const facts = new RequestFacts(exchange, name, end, this.#method)
    const lasted = now - this.#began
    const { version, transport } = facts
    const key = keyOf(this.#method, name, { version, transport, address: '' }, end)
    const series = this.#measure('server', facts, lasted, key)
    const listens = this.#method === 'subscriptions/listen'
    this.#isEnded = true
    this.#kept = this.#services.tail.decide(this.#sampled, end.failed, listens ? 0 : lasted)
    if (this.#kept !== undefined) this.#send(now, facts, series, { outcome, exchange })
    this.#further = undefined
    this.#asked = undefined
  }

  #send(
    now: number,
    facts: RequestFacts,
    series: DurationSeries,
    { outcome, exchange }: { readonly outcome: Outcome; readonly exchange: TracedExchange },
  ): void {
    this.#post({
      spanId: this.#spanId,
      parent: this.#told(this.#parents.parent),
      link: this.#told(this.#parents.link),
      kind: SpanKind.SERVER,
      name: spanName(this.#method, facts.name),
      began: this.#began,
      ended: now,
      attributes: { ...facts.labels(), ...this.#furtherFacts(exchange, outcome), 'gantry.kept': this.#kept! },
      ...this.#failure(facts.end),
    })
    this.#keepExemplar(series, this.#spanId, now - this.#began)
    for (const step of this.#steps.until(now)) this.#sendStep(step)
    for (const step of this.#further ?? []) this.#sendStep(step)
    for (const span of this.#asked ?? []) this.#sendAsked(span)
  }

  /** What only spans have. It is made for those that are sent. */
  #furtherFacts({ id, peer, session, resolved, origin }: TracedExchange, outcome: Outcome): TraceAttributes {
    const { body, clean } = this.#services
    const facts: TraceAttributes = {}
    if (id !== undefined) facts['jsonrpc.request.id'] = clean(String(id))
    if (peer !== undefined) facts['client.address'] = peer
    if (session !== undefined) facts['mcp.session.id'] = publicName(session)
    if (resolved) facts['gantry.target'] = resolved.target.name
    if (!body || !resolved || this.#method !== 'tools/call') return facts
    facts['gen_ai.tool.call.arguments'] = body(origin.params.arguments ?? {})
    if (outcome.type === 'complete') facts['gen_ai.tool.call.result'] = body(outcome.result)
    return facts
  }

  #failure({ failed, message }: TracedEnd): Pick<SpanRecord, 'failed' | 'message'> {
    return { failed, message: message && this.#services.clean(message) }
  }

  #measure(
    side: 'client' | 'server',
    labelled: Labelled,
    milliseconds: number,
    key: ReturnType<typeof keyOf>,
  ): DurationSeries {
    return this.#services.durations.record(
      side === 'client' ? 'mcp.client.operation.duration' : 'mcp.server.operation.duration',
      milliseconds / 1000,
      key,
      labelled,
    )
  }

  #keepExemplar(series: DurationSeries, spanId: string, milliseconds: number): void {
    keepExemplar(series, { traceId: this.traceId, spanId, value: milliseconds / 1000, at: Date.now() })
  }

  #sendStep(step: Step): void {
    if (this.#kept === undefined) return
    const { ids } = this.#services
    this.#sendSpan({ ...step, spanId: ids.span(), kind: SpanKind.INTERNAL, attributes: {} })
  }

  #sendAsked(span: AskedSpan): void {
    if (this.#kept === undefined) return
    const { spanId, method, name, began, ended, series, result } = span
    if (series) this.#keepExemplar(series, spanId, ended - began)
    this.#sendSpan({
      spanId,
      kind: series ? SpanKind.CLIENT : SpanKind.INTERNAL,
      name: spanName(method, name),
      began,
      ended,
      attributes: span.attributes(),
      ...this.#failure(result!),
    })
  }

  #sendSpan(span: Omit<SpanRecord, 'traceId' | 'parent'>): void {
    this.#post({ ...span, parent: this.#own })
  }

  /** Times are noted by the clock that never jumps, and sent as those of the calendar. */
  #post(span: Omit<SpanRecord, 'traceId'>): void {
    const { timeOrigin } = performance
    this.#services.send({
      ...span,
      traceId: this.traceId,
      began: timeOrigin + span.began,
      ended: timeOrigin + span.ended,
    })
  }

  get #own(): SpanPlace {
    const { parent } = this.#parents
    return {
      traceId: this.traceId,
      spanId: this.#spanId,
      traceFlags: TraceFlags.SAMPLED,
      state: this.#told(parent)?.state,
    }
  }

  /** Values that came with a request may go to its target, but not to the collector. */
  #told(place: SpanPlace | undefined): SpanPlace | undefined {
    return place?.state !== undefined && this.#services.hasSecrets(place.state)
      ? { ...place, state: undefined }
      : place
  }
}

/** Stands for the labels of a measurement. */
function keyOf(
  method: string,
  name: string | undefined,
  place: { readonly version: string; readonly transport: string; readonly address: string },
  { attributes }: TracedEnd,
) {
  const { version, transport, address } = place
  const type = attributes['error.type']
  const code = attributes['rpc.response.status_code']
  return {
    method,
    name: method.startsWith('resources/') ? '' : (name ?? ''),
    version,
    transport,
    address,
    end: type === undefined && code === undefined ? '' : `${type ?? ''} ${code ?? ''}`,
  }
}

/** The id of a session is as good as a key, where there is no other. */
function publicName(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32)
}

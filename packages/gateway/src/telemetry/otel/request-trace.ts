import { createHash } from 'node:crypto'
import { SpanKind, TraceFlags, type SpanContext } from '@opentelemetry/api'
import { deriveExchange, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import {
  endOf,
  endOfThrown,
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
  type OperationDurations,
  type SeriesKey,
} from '../operation-durations.ts'
import type { AskedLink, RequestTrace, TracedExchange } from '../tracer.ts'
import type { IdPool } from './id-pool.ts'
import { addressText, isWire, networkOf, serverAddress } from './server-address.ts'
import type { Kept, SpanRecord, TailDecision } from './span-record.ts'
import { parentsOf, toTraceParent, withParent, type Parents } from './trace-parent.ts'

/** What the traces of a gateway share. */
export interface TraceServices {
  readonly durations: OperationDurations
  readonly tail: TailDecision
  readonly ids: IdPool
  /** Whether a trace that begins here is one of the share. */
  isSampled(traceId: string): boolean
  send(traceId: string, span: SpanRecord): void
  /** Text without secrets, and not too long. */
  clean(text: string): string
  /** Arguments and results as JSON without secrets; undefined where they are not wanted. */
  readonly body: ((value: unknown) => string) | undefined
}

/** More spans of one request are not kept: it may ask its target again and again. */
const MAX_SPANS = 128

/** A span as it is noted. Most requests are not sent, so the rest is made for those that are. */
interface Noted extends Pick<SpanRecord, 'kind' | 'name' | 'began' | 'ended'> {
  readonly spanId?: string
  readonly asked?: Asked
}

/** What a target was asked, and how that ended. */
interface Asked {
  readonly method: string
  readonly name: string | undefined
  readonly link: AskedLink
  readonly target: TargetModel
  /** The id that the request had on its wire. */
  readonly id: string | undefined
  readonly end: TracedEnd
}

interface Measured {
  readonly series: DurationSeries
  /** Undefined: the span of the request itself. */
  readonly spanId: string | undefined
  readonly value: number
}

export class OtelRequestTrace implements RequestTrace {
  readonly traceId: string
  readonly #services: TraceServices
  readonly #parents: Parents
  readonly #sampled: boolean
  readonly #began = performance.now()
  readonly #method: string
  #ownId: string | undefined
  #noted: Noted[] = []
  #measured: Measured[] = []
  /** What was decided; undefined while it is under way. */
  #decided: { readonly kept: Kept | undefined } | undefined

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

  step(name: string, began: number): void {
    this.#note({ kind: SpanKind.INTERNAL, name, began, ended: performance.now() })
  }

  async ask(
    exchange: Exchange,
    link: AskedLink,
    target: TargetModel,
    run: (exchange: Exchange) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { clean, ids } = this.#services
    const began = performance.now()
    const spanId = ids.span()
    const method = methodLabel(exchange.method)
    const named = namedIn(method, exchange.params)
    const name = named && clean(named)
    let id: string | undefined
    const asked = deriveExchange(exchange, {
      params: this.#withParent(exchange, spanId),
      onSent: (sent) => {
        id ??= String(sent)
      },
    })
    const ended = (end: TracedEnd): void => {
      const now = performance.now()
      const facts: Asked = { method, name, link, target, id, end }
      const { version, transport } = link
      const isMcp = isWire(transport)
      if (isMcp) {
        const key = keyOf(method, name, { version, transport, address: addressText(target) }, end)
        const seconds = (now - began) / 1000
        this.#measure('mcp.client.operation.duration', seconds, spanId, key, () => askedLabels(facts))
      }
      this.#note({
        spanId,
        kind: isMcp ? SpanKind.CLIENT : SpanKind.INTERNAL,
        name: spanName(method, name),
        began,
        ended: now,
        asked: facts,
      })
    }
    try {
      const outcome = await run(asked)
      ended(endOf(outcome, 'client'))
      return outcome
    } catch (thrown) {
      ended(endOfThrown(thrown))
      throw thrown
    }
  }

  #withParent({ params }: Exchange, spanId: string): Exchange['params'] {
    const parent = toTraceParent(this.traceId, spanId, this.#sampled)
    return withParent(params, parent, this.#parents.parent !== undefined)
  }

  end(outcome: Outcome, exchange: TracedExchange): void {
    const now = performance.now()
    const end = endOf(outcome, 'server')
    // A name that is not in the catalog was made up by a caller, or the caller may not know it.
    const named = exchange.resolved && namedIn(this.#method, exchange.origin.params)
    const name = named && this.#services.clean(named)
    const transport = exchange.headers ? 'http' : 'stdio'
    const { version } = exchange.client
    const labels = (): TraceAttributes => ({
      ...requestAttributes(this.#method, name),
      'mcp.protocol.version': version,
      ...networkOf(transport),
      ...end.attributes,
    })
    const key = keyOf(this.#method, name, { version, transport, address: '' }, end)
    const lasted = now - this.#began
    this.#measure('mcp.server.operation.duration', lasted / 1000, undefined, key, labels)
    const listens = this.#method === 'subscriptions/listen'
    const kept = this.#services.tail.decide(this.#sampled, end.failed, listens ? 0 : lasted)
    this.#decided = { kept }
    const noted = this.#noted
    const measured = this.#measured
    this.#noted = []
    this.#measured = []
    if (kept === undefined) return
    const all = { ...labels(), ...this.#furtherFacts(exchange, outcome), 'gantry.kept': kept }
    this.#services.send(this.traceId, {
      spanId: this.#spanId,
      parent: this.#parents.parent,
      link: this.#parents.link,
      kind: SpanKind.SERVER,
      name: spanName(this.#method, name),
      began: this.#began,
      ended: now,
      attributes: all,
      ...this.#failure(end),
    })
    for (const span of noted) this.#send(span)
    for (const one of measured) this.#keepExemplar(one)
  }

  /** What only spans have. It is made for those that are sent. */
  #furtherFacts({ id, peer, session, resolved, origin }: TracedExchange, outcome: Outcome): TraceAttributes {
    const { body } = this.#services
    const facts: TraceAttributes = {}
    if (id !== undefined) facts['jsonrpc.request.id'] = String(id)
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
    name: Parameters<OperationDurations['record']>[0],
    value: number,
    spanId: string | undefined,
    key: SeriesKey,
    labels: () => TraceAttributes,
  ): void {
    const series = this.#services.durations.record(name, value, key, () => withoutUri(labels()))
    const measured: Measured = { series, spanId, value }
    if (!this.#decided && this.#measured.length < MAX_SPANS) this.#measured.push(measured)
    else if (this.#decided?.kept !== undefined) this.#keepExemplar(measured)
  }

  #keepExemplar({ series, spanId = this.#spanId, value }: Measured): void {
    keepExemplar(series, { traceId: this.traceId, spanId, value, at: Date.now() })
  }

  #note(span: Noted): void {
    // A task of a caller runs on when the request that made it has been answered.
    if (this.#decided?.kept !== undefined) this.#send(span)
    else if (!this.#decided && this.#noted.length < MAX_SPANS) this.#noted.push(span)
  }

  #send({ spanId = this.#services.ids.span(), asked, ...span }: Noted): void {
    const facts = { ...(asked && this.#failure(asked.end)), attributes: asked ? askedAttributes(asked) : {} }
    this.#services.send(this.traceId, { ...span, ...facts, spanId, parent: this.#own })
  }

  get #own(): SpanContext {
    const { parent } = this.#parents
    const state = parent?.traceState
    return {
      traceId: this.traceId,
      spanId: this.#spanId,
      traceFlags: TraceFlags.SAMPLED,
      ...(state && { traceState: state }),
    }
  }
}

function askedLabels({ method, name, link, target, end }: Asked): TraceAttributes {
  return {
    ...requestAttributes(method, name),
    'mcp.protocol.version': link.version,
    ...networkOf(link.transport),
    ...serverAddress(target),
    ...end.attributes,
  }
}

function askedAttributes(asked: Asked): TraceAttributes {
  return { ...askedLabels(asked), ...(asked.id !== undefined && { 'jsonrpc.request.id': asked.id }) }
}

/** Stands for the labels of a measurement. */
function keyOf(
  method: string,
  name: string | undefined,
  { version, transport, address }: Pick<SeriesKey, 'version' | 'transport' | 'address'>,
  { attributes }: TracedEnd,
): SeriesKey {
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

/** The URI of a resource would give every resource a series of its own. */
function withoutUri(attributes: TraceAttributes): TraceAttributes {
  if (attributes['mcp.resource.uri'] === undefined) return attributes
  const { 'mcp.resource.uri': _, ...others } = attributes
  return others
}

/** The id of a session is as good as a key, where there is no other. */
function publicName(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 32)
}

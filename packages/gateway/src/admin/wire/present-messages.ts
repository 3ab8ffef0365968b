import { eraOf, jsonReader, writeJson, describePrincipal } from '@gantry/mcp/exchange'
import { hideShapes } from '../../model/index.ts'
import type { ExchangeRecord, KeptMessage } from '../../telemetry/exchange-record.ts'
import { hidingShapes } from '../../telemetry/redacting.ts'
import type { Era, Json, WireDetail, WireMessage, WireRecord } from '../contract.ts'
import { publicId } from '../public-id.ts'

const readJson = jsonReader('source')

export type Message = { readonly [key: string]: unknown }

/** An exchange with the messages of both hops, and words where the gateway translated. */
export function presentDetail(record: ExchangeRecord, targetEra: Era | undefined): WireDetail {
  const clientEra: Era = eraOf(record.client.version)
  const seen: WireMessage[] = []
  for (const [index, kept] of (record.messages ?? []).entries()) {
    const message = parse(kept)
    const presented = presentMessage(kept, message, index, record.at)
    const note = kept.note ?? noteOf(presented, seen, { clientEra, targetEra })
    seen.push(note === undefined ? presented : { ...presented, note })
  }
  return { ...presentRecord(record), hops: seen }
}

/** Undefined when it was cut. */
function parse({ json }: KeptMessage): Message | undefined {
  if (json.endsWith('…')) return undefined
  return readJson(writeJson(readJson(json), hidingShapes)) as Message
}

function presentMessage(
  kept: KeptMessage,
  parsed: Message | undefined,
  index: number,
  startedAt: number,
): WireMessage {
  const { hop, direction, bytes } = kept
  const message = parsed && hop === 'client' ? fromOutcome(parsed) : parsed
  const method =
    typeof message?.method === 'string'
      ? message.method
      : /^\{"(?:jsonrpc":"2.0",")?(?:id":[^,]*,")?method":"([^"]+)"/.exec(kept.json)?.[1]
  return {
    seq: index,
    at: kept.at,
    offset: kept.at - startedAt,
    hop,
    direction,
    type: typeOf(message, method),
    ...(method !== undefined && { method }),
    message: (message ?? hideShapes(kept.json)) as Json,
    bytes,
    truncated: message === undefined,
  }
}

/** Inside, an answer is an outcome; what a client gets is a result or an error. */
function fromOutcome(message: Message): Message {
  const { type, result, error, task, inputRequests, requestState, extra } = message
  if (type === 'complete') return { result }
  if (type === 'error') return { error }
  if (type === 'task') return { result: { resultType: 'task', ...(task as object) } }
  if (type !== 'input_required') return message
  return {
    result: {
      resultType: 'input_required',
      ...(extra as object | undefined),
      ...(inputRequests !== undefined && { inputRequests }),
      ...(requestState !== undefined && { requestState }),
    },
  }
}

function typeOf(message: Message | undefined, method: string | undefined): WireMessage['type'] {
  if (method !== undefined) return method.startsWith('notifications/') ? 'notification' : 'request'
  return message?.error === undefined ? 'response' : 'error'
}

interface Eras {
  readonly clientEra: Era
  readonly targetEra: Era | undefined
}

/** The translation that the gateway made at this message, in words; undefined where it made none. */
function noteOf(message: WireMessage, before: readonly WireMessage[], eras: Eras): string | undefined {
  return message.hop === 'target' ? noteAtTarget(message, before, eras) : noteAtClient(message, eras)
}

function noteAtTarget(
  { type, direction, method, message }: WireMessage,
  before: readonly WireMessage[],
  { clientEra, targetEra }: Eras,
): string | undefined {
  const isBridged = targetEra !== undefined && clientEra !== targetEra
  if (type === 'request' && direction === 'out') {
    const params = paramsOf(message)
    if (params?.inputResponses !== undefined && clientEra === 'legacy') {
      return "the client's answers → `inputResponses` of a new request"
    }
    if (method === 'logging/setLevel')
      return 'the log level that the client wants → the level of this connection'
    const isFirst = !before.some((one) => isRequestTo(one, method))
    return isFirst
      ? joined(nameNote(params, before), isBridged ? envelopeNote(clientEra) : undefined)
      : undefined
  }
  if (type === 'request' && direction === 'in' && clientEra === 'modern') {
    return `\`${method}\` → \`input_required\`: the call stays open here while the client is asked`
  }
  if (type === 'response' && direction === 'in' && isInputRequired(message) && clientEra === 'legacy') {
    return '`input_required` → `elicitation/create` and its kin: a legacy client is asked with live requests'
  }
  if (type === 'notification' && direction === 'out' && method === 'notifications/cancelled') {
    return 'the client gave up: the target is told'
  }
  return undefined
}

function isRequestTo({ hop, direction, type, method }: WireMessage, wanted: string | undefined): boolean {
  return hop === 'target' && direction === 'out' && type === 'request' && method === wanted
}

function noteAtClient(
  { type, direction, message }: WireMessage,
  { clientEra, targetEra }: Eras,
): string | undefined {
  if (direction === 'out' && isInputRequired(message)) {
    if (clientEra === 'legacy')
      return '`input_required` → `elicitation/create`: asked of the client while its call waits'
    return targetEra === 'legacy'
      ? 'the question of the target → `input_required`; `requestState` finds the open call again'
      : undefined
  }
  if (type === 'request' && direction === 'in' && targetEra === 'legacy' && clientEra === 'modern') {
    const params = paramsOf(message)
    if (params?.inputResponses !== undefined)
      return '`inputResponses` → the answers that the open call waits for'
  }
  return undefined
}

function nameNote(params: Message | undefined, before: readonly WireMessage[]): string | undefined {
  const asked = paramsOf(before.find((one) => one.hop === 'client' && one.type === 'request')?.message)
  const was = asked?.name ?? asked?.uri
  const is = params?.name ?? params?.uri
  return typeof was === 'string' && typeof is === 'string' && was !== is
    ? `\`${was}\` → \`${is}\`, its own name`
    : undefined
}

function envelopeNote(clientEra: Era): string {
  return clientEra === 'modern'
    ? 'the envelope in `_meta` → the session that the gateway has with this target'
    : 'the session of the client → the envelope in `_meta`'
}

function joined(...notes: (string | undefined)[]): string | undefined {
  const present = notes.filter((note) => note !== undefined)
  return present.length > 0 ? present.join('; ') : undefined
}

function paramsOf(message: unknown): Message | undefined {
  const { params } = (typeof message === 'object' && message !== null ? message : {}) as Message
  return typeof params === 'object' && params !== null ? (params as Message) : undefined
}

function isInputRequired(message: unknown): boolean {
  const { result } = (typeof message === 'object' && message !== null ? message : {}) as Message
  return (result as Message | undefined)?.resultType === 'input_required'
}

function isAnswer({ hop, direction }: KeptMessage): boolean {
  return hop === 'client' && direction === 'out'
}

export function presentRecord(record: ExchangeRecord): WireRecord {
  const { client, name, target, durationMs, targetMs, error } = record
  const bytes = record.bytes ?? record.messages?.findLast(isAnswer)?.bytes
  return {
    id: record.id,
    at: record.at,
    method: record.method,
    ...(name !== undefined && { name }),
    ...(target !== undefined && { target }),
    client: {
      ...(client.name !== undefined && { name: client.name }),
      revision: client.version,
      ...(client.session !== undefined && { session: publicId(client.session) }),
      ...(client.principal !== undefined && { principal: describePrincipal(client.principal) }),
    },
    status: record.status,
    ...(durationMs !== undefined && { duration: durationMs }),
    ...(targetMs !== undefined && { targetDuration: Math.round(targetMs * 100) / 100 }),
    ...(bytes !== undefined && { bytes }),
    ...(error !== undefined && { error }),
    messages: record.messages?.length ?? 0,
  }
}

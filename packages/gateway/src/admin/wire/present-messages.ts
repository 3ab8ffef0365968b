import { jsonReader } from '@gantry/mcp/exchange'
import type { ExchangeRecord, KeptMessage } from '../../telemetry/exchange-record.ts'
import type { Era, Json, WireDetail, WireMessage } from '../contract.ts'
import { noteOf } from './note-of.ts'
import { presentRecord } from './present-record.ts'

const readJson = jsonReader('source')

export type Message = { readonly [key: string]: unknown }

/** An exchange with the messages of both hops, and words where the gateway translated. */
export function presentDetail(record: ExchangeRecord, targetEra: Era | undefined): WireDetail {
  const clientEra: Era = record.client.version >= '2026-07-28' ? 'modern' : 'legacy'
  const seen: WireMessage[] = []
  for (const [index, kept] of (record.messages ?? []).entries()) {
    const message = parse(kept)
    const presented = presentMessage(kept, message, index, record.at)
    const note = kept.note ?? noteOf(presented, seen, { clientEra, targetEra })
    seen.push(note === undefined ? presented : { ...presented, note })
  }
  return { ...presentRecord(record), hops: seen }
}

function parse({ json, bytes }: KeptMessage): Message | undefined {
  return json.length < bytes ? undefined : (readJson(json) as Message)
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
    message: (message ?? kept.json) as Json,
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

import { parseJson, type RequestId } from '../../../jsonrpc/index.ts'
import { fromBase64Url, toBase64Url } from '../../../protocol/encoding.ts'

/** A longer id of a request is left out. */
const MAX_ANSWERS = 64

let incarnation: string | undefined
let streams = 0

/** A name that no other stream ever has, also after a restart. It tells which request is answered. */
export function newStreamId(answers: RequestId | undefined): string {
  // Not when the module is loaded: some platforms have no random numbers then.
  incarnation ??= crypto.randomUUID().slice(0, 8)
  const id = `${incarnation}.${++streams}`
  if (answers === undefined) return id
  const json = JSON.stringify(answers)
  return json.length > MAX_ANSWERS ? id : `${id}.${toBase64Url(new TextEncoder().encode(json))}`
}

export function parseEventId(id: string): { streamId: string; sequence: number } | undefined {
  const at = id.lastIndexOf('_')
  const sequence = Number(id.slice(at + 1))
  return at > 0 && Number.isSafeInteger(sequence) ? { streamId: id.slice(0, at), sequence } : undefined
}

/** The request that was to be answered on a stream; undefined when it is none of that kind, or not one of ours. */
export function answeredOn(streamId: string): RequestId | undefined {
  const [, , encoded] = streamId.split('.', 3)
  const bytes = encoded === undefined ? undefined : fromBase64Url(encoded)
  if (!bytes || bytes.length > MAX_ANSWERS * 3) return undefined
  try {
    const id: unknown = parseJson(new TextDecoder().decode(bytes))
    return typeof id === 'string' || typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}

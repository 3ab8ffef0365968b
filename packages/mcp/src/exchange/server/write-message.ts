import {
  hasLongText,
  INTERNAL_ERROR,
  LONG_TEXT,
  LongJson,
  toPieces,
  writeJson,
  type JsonObject,
  type JsonPiece,
  type JsonRpcError,
  type JsonRpcRequest,
  type RequestId,
  toNumber,
} from '../../jsonrpc/index.ts'
import {
  META,
  shapeError,
  shapeResult,
  shapeTask,
  type Implementation,
  type Revision,
} from '../../protocol/index.ts'
import type { Complete, Notification, Outcome } from '../exchange.ts'
import { ReceivedResult } from '../received-result.ts'
import type { Served } from './served.ts'

// Frames are written around serialised payloads, so that cached text is not serialised again.

function idText(id: RequestId | null): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id)
}

export function writeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${resultJson}}`
}

export function writeError(id: RequestId | null, error: JsonRpcError): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"error":${writeJson(error)}}`
}

export function writeNotification(notification: Notification): string {
  return notification.params === undefined
    ? `{"jsonrpc":"2.0","method":${JSON.stringify(notification.method)}}`
    : `{"jsonrpc":"2.0","method":${JSON.stringify(notification.method)},"params":${writeJson(notification.params)}}`
}

export function writeRequest(id: RequestId, method: string, params: JsonObject | undefined): string {
  const tail = params === undefined ? '' : `,"params":${writeJson(params)}`
  return `{"jsonrpc":"2.0","id":${idText(id)},"method":${JSON.stringify(method)}${tail}}`
}

export interface ResponseFacts {
  id: RequestId
  method: string
  revision: Revision
  serverInfo: Implementation
  /** Told when an outcome cannot be written. */
  onInternalError?: ((thrown: unknown) => void) | undefined
}

/** What the response to a request of a client with this revision is written by. */
export function responseFacts(
  { id, method }: JsonRpcRequest,
  revision: Revision,
  { info, onInternalError }: Served,
): ResponseFacts {
  return { id, method, revision, serverInfo: info, onInternalError }
}

/** Serialises an outcome for a revision. What JSON cannot hold becomes an internal error, never silence. */
export function writeOutcome(outcome: Outcome, facts: ResponseFacts): string {
  try {
    return serialise(outcome, facts)
  } catch (thrown) {
    facts.onInternalError?.(thrown)
    return writeError(facts.id, { code: INTERNAL_ERROR, message: 'Internal error' })
  }
}

function serialise(outcome: Outcome, facts: ResponseFacts): string {
  switch (outcome.type) {
    case 'complete':
      return writeResult(facts.id, completeText(outcome, facts))
    case 'error':
      return writeError(facts.id, shapeError(facts.method, outcome.error, facts.revision))
    case 'input_required': {
      const { inputRequests, requestState, extra } = outcome
      const result: JsonObject = { ...extra, resultType: 'input_required' }
      if (inputRequests) result.inputRequests = inputRequests
      if (requestState !== undefined) result.requestState = requestState
      return writeResult(facts.id, writeJson(withServerInfo(result, facts.serverInfo)))
    }
    case 'task':
      return writeResult(facts.id, writeJson(createdTask(outcome.task, facts)))
    default:
      throw new TypeError('A handler or middleware returned no outcome')
  }
}

/** Flat since 2026-07-28 (SEP-2663), inside `task` before. */
function createdTask(task: JsonObject, { revision, serverInfo }: ResponseFacts): JsonObject {
  if (revision < '2026-07-28') return { task: shapeTask(task) }
  return withServerInfo({ ...task, resultType: 'task' }, serverInfo)
}

function completeText(outcome: Complete, facts: ResponseFacts): string {
  return readyText(outcome, facts) ?? writeJson(shapeComplete(outcome.result, facts))
}

function readyText(outcome: Complete, facts: ResponseFacts): string | undefined {
  return outcome instanceof ReceivedResult ? outcome.textFor(facts) : outcome.json
}

/** A response whose result is passed on as the bytes that it came in; undefined for all others. */
export function writeRawOutcome(outcome: Outcome, facts: ResponseFacts): Uint8Array[] | undefined {
  const pieces = outcome instanceof ReceivedResult ? outcome.bytesFor(facts) : undefined
  if (!pieces) return undefined
  const encoder = new TextEncoder()
  const head = encoder.encode(`{"jsonrpc":"2.0","id":${idText(facts.id)},"result":`)
  return [head, ...pieces, encoder.encode('}')]
}

/** A response with long text in it, in pieces; undefined for all others, which `writeOutcome` writes. */
export function writeLongOutcome(outcome: Outcome, facts: ResponseFacts): LongJson | undefined {
  if (outcome.type !== 'complete' || !isLong(outcome)) return undefined
  try {
    const head = `{"jsonrpc":"2.0","id":${idText(facts.id)},"result":`
    return new LongJson([head, ...completePieces(outcome, facts), '}'])
  } catch {
    // `writeOutcome` meets the same, and reports it.
    return undefined
  }
}

function isLong(outcome: Complete): boolean {
  const length = outcome instanceof ReceivedResult ? outcome.length : outcome.json?.length
  return length === undefined ? hasLongText(outcome.result) : length >= LONG_TEXT
}

function completePieces(outcome: Complete, facts: ResponseFacts): JsonPiece[] {
  const ready = readyText(outcome, facts)
  return ready === undefined ? toPieces(shapeComplete(outcome.result, facts)) : [ready]
}

function shapeComplete(result: JsonObject, facts: ResponseFacts): JsonObject {
  const shaped = shapeResult(facts.method, result, facts.revision, facts.serverInfo)
  if (facts.method !== 'subscriptions/listen') return shaped
  return {
    ...shaped,
    _meta: { ...(shaped._meta as JsonObject | undefined), [META.subscriptionId]: facts.id },
  }
}

function withServerInfo(result: JsonObject, serverInfo: Implementation): JsonObject {
  const meta = result._meta as JsonObject | undefined
  if (meta && META.serverInfo in meta) return result
  return { ...result, _meta: { ...meta, [META.serverInfo]: serverInfo } }
}

/** Drops progress that the client has heard already, as from a handler that runs again. */
export class IncreasingProgress {
  #last: number = Number.NEGATIVE_INFINITY

  /** Progress MUST increase with each notification (2025-11-25 and 2026-07-28, Progress). */
  admits(notification: Notification): boolean {
    if (notification.method !== 'notifications/progress') return true
    const progress = toNumber(notification.params?.progress)
    if (progress === undefined || progress <= this.#last) return false
    this.#last = progress
    return true
  }
}

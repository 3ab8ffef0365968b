import {
  hasLongText,
  LateString,
  LONG_TEXT,
  LongJson,
  toPieces,
  type JsonPiece,
} from '../../jsonrpc/index.ts'
import type { Complete, Outcome } from '../exchange.ts'
import { idText, isReceived, readyText, shapeComplete, type ResponseFacts } from './answer.ts'

/** A response with long text in it, in pieces; undefined for all others, which `writeOutcome` writes. */
export function writeLongOutcome(outcome: Outcome, facts: ResponseFacts): LongJson | undefined {
  if (outcome.type !== 'complete' || !isLong(outcome)) return undefined
  try {
    const head = `{"jsonrpc":"2.0","id":${idText(facts.id)},"result":`
    const pieces = completePieces(outcome, facts)
    return pieces && new LongJson([head, ...pieces, '}'])
  } catch {
    // `writeOutcome` meets the same, and reports it.
    return undefined
  }
}

function isLong(outcome: Complete): boolean {
  const length = isReceived(outcome) ? outcome.length : outcome.json?.length
  return length === undefined ? hasLongText(outcome.result) : length >= LONG_TEXT
}

/** Undefined when a part of it is still to be read. */
function completePieces(outcome: Complete, facts: ResponseFacts): JsonPiece[] | undefined {
  const ready = readyText(outcome, facts)
  if (ready !== undefined) return [ready]
  const pieces = toPieces(shapeComplete(outcome.result, facts))
  return pieces.some((piece) => piece instanceof LateString) ? undefined : (pieces as JsonPiece[])
}

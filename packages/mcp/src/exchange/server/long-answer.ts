import { hasLongText, LONG_TEXT, LongJson, toPieces, type JsonPiece } from '../../jsonrpc/index.ts'
import type { Complete, Outcome } from '../exchange.ts'
import { idText, isReceived, readyText, shapeComplete, type ResponseFacts } from './answer.ts'

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
  const length = isReceived(outcome) ? outcome.length : outcome.json?.length
  return length === undefined ? hasLongText(outcome.result) : length >= LONG_TEXT
}

function completePieces(outcome: Complete, facts: ResponseFacts): JsonPiece[] {
  const ready = readyText(outcome, facts)
  return ready === undefined ? toPieces(shapeComplete(outcome.result, facts)) : [ready]
}

import { isJsonObject, type JsonObject, type JsonRpcResult, TextResult } from '../jsonrpc/index.ts'
import { META, methodFacts, shapeResult, type Implementation, type Revision } from '../protocol/index.ts'
import type { Complete } from './exchange.ts'

/** Who a result is written for. */
interface Reader {
  readonly method: string
  readonly revision: Revision
  readonly serverInfo: Implementation
}

/**
 * A complete result together with the text that it came in: a relay that changes nothing passes the text on. It is
 * good as long as `result` is left alone, so only those get it who ask for it; a result that was changed is a new
 * one without a text.
 */
export class ReceivedResult implements Complete {
  readonly type = 'complete'
  readonly result: JsonObject
  readonly #text: string
  readonly #isModern: boolean

  constructor(result: JsonObject, text: string, isModern: boolean) {
    this.result = result
    this.#text = text
    this.#isModern = isModern
  }

  /** Characters of the text. */
  get length(): number {
    return this.#text.length
  }

  /** The text for a reader who would get the same members; undefined when something has to be changed. */
  textFor(reader: Reader): string | undefined {
    if (reader.revision < '2026-07-28') {
      return !this.#isModern &&
        shapeResult(reader.method, this.result, reader.revision, undefined) === this.result
        ? this.#text
        : undefined
    }
    if (!this.#isModern || methodFacts(reader.method)?.cacheable) return undefined
    const { _meta } = this.result
    if (_meta === undefined) return this.#named(reader.serverInfo)
    return isJsonObject(_meta) && META.serverInfo in _meta ? this.#text : undefined
  }

  /** Results name the server that they come from; one that has no `_meta` gets it in front. */
  #named(serverInfo: Implementation): string {
    return `{"_meta":${JSON.stringify({ [META.serverInfo]: serverInfo })},${this.#text.slice(1)}`
  }
}

/** A result with its text, if it came in one piece. */
export function received(
  response: JsonRpcResult,
  result: JsonObject,
  isModern: boolean,
): ReceivedResult | undefined {
  if (!(response instanceof TextResult)) return undefined
  const { resultText } = response
  // Lines and events end at a newline: what is laid out for the eye is written anew.
  if (resultText.includes('\n') || resultText.includes('\r')) return undefined
  return new ReceivedResult(result, resultText, isModern)
}

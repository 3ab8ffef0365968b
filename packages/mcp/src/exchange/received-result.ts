import { isJsonObject, type JsonObject, type JsonRpcResult, ResultBody } from '../jsonrpc/index.ts'
import {
  META,
  methodFacts,
  shapeResult,
  withoutResultType,
  type Implementation,
  type Revision,
} from '../protocol/index.ts'
import type { Complete } from './exchange.ts'

interface Reader {
  readonly method: string
  readonly revision: Revision
  readonly serverInfo: Implementation
}

/** A complete result with its JSON, which a relay passes on unchanged. Valid while `result` is untouched. */
export class ReceivedResult implements Complete {
  readonly type = 'complete'
  /** The result with rounded numbers, and with empty long strings when they have not been read. */
  readonly outline: JsonObject
  readonly #source: ResultBody
  readonly #isModern: boolean
  #result: JsonObject | undefined

  constructor(source: ResultBody, outline: JsonObject, isModern: boolean) {
    this.#source = source
    this.outline = outline
    this.#isModern = isModern
  }

  /** The whole result. Reads long strings and exact numbers now, if they were not read before. */
  get result(): JsonObject {
    this.#result ??= this.#read()
    return this.#result
  }

  #read(): JsonObject {
    const { result, outline } = this.#source
    if (result === outline) return this.outline
    return this.#isModern ? withoutResultType(result) : result
  }

  /** Used when the outcome is written as JSON. */
  toJSON(): Complete {
    return { type: this.type, result: this.result }
  }

  /** Characters or bytes of the JSON. */
  get length(): number {
    return this.#source.length
  }

  /** The JSON as it came. */
  get text(): string {
    return this.#source.text()
  }

  /** The JSON text, if the reader would get the same members; undefined when something has to be changed. */
  textFor(reader: Reader): string | undefined {
    const front = this.#frontFor(reader)
    if (front === undefined) return undefined
    const text = this.#source.text()
    // JSON with line breaks is written anew, because lines and events end at a newline.
    if (text.includes('\n') || text.includes('\r')) return undefined
    return front === '' ? text : front + text.slice(1)
  }

  /** The same in bytes, where they were not read; undefined also where they were. */
  bytesFor(reader: Reader): Uint8Array[] | undefined {
    const pieces = this.#source.bytes()
    const front = pieces && this.#frontFor(reader)
    if (front === undefined) return undefined
    const [first, ...others] = pieces!
    if (front === '' || first === undefined) return [...pieces!]
    return [new TextEncoder().encode(front), first.subarray(1), ...others]
  }

  /** The text in place of the first brace; empty when it can stay; undefined when the result has to be rewritten. */
  #frontFor({ method, revision, serverInfo }: Reader): string | undefined {
    if (revision < '2026-07-28') {
      const isAsWanted =
        !this.#isModern && shapeResult(method, this.outline, revision, undefined) === this.outline
      return isAsWanted ? '' : undefined
    }
    if (!this.#isModern || methodFacts(method)?.cacheable) return undefined
    const { _meta } = this.outline
    // Results name the server that they come from; one that has no `_meta` gets it in front.
    if (_meta === undefined) return frontNaming(serverInfo)
    return isJsonObject(_meta) && META.serverInfo in _meta ? '' : undefined
  }
}

/** Kept, because all results of a server name the same server. */
const fronts = new WeakMap<Implementation, string>()

function frontNaming(serverInfo: Implementation): string {
  let front = fronts.get(serverInfo)
  if (front === undefined) {
    front = `{"_meta":${JSON.stringify({ [META.serverInfo]: serverInfo })},`
    fronts.set(serverInfo, front)
  }
  return front
}

/** A result with its JSON, if it came in a way that lets that be used again. */
export function received(response: JsonRpcResult, isModern: boolean): ReceivedResult | undefined {
  if (!(response instanceof ResultBody)) return undefined
  const { outline } = response
  return new ReceivedResult(response, isModern ? withoutResultType(outline) : outline, isModern)
}

/** The result with its long strings empty, for readers that do not need them. */
export function outlineOf(outcome: Complete): JsonObject {
  return outcome instanceof ReceivedResult ? outcome.outline : outcome.result
}

/** Characters or bytes of a result as it came; undefined when it was made here. */
export function lengthOf(outcome: Complete): number | undefined {
  return outcome instanceof ReceivedResult ? outcome.length : undefined
}

/** The JSON of a result as it came; undefined when it was made here. */
export function jsonOf(outcome: Complete): string | undefined {
  return outcome instanceof ReceivedResult ? outcome.text : undefined
}

import type { JsonObject, JsonRpcResult } from '../message.ts'

/** A response whose result keeps the JSON that it came in, as text or as bytes. */
export abstract class ResultBody implements JsonRpcResult {
  readonly jsonrpc = '2.0'
  readonly id: number

  constructor(id: number) {
    this.id = id
  }

  /** Enough to see what it is about: numbers may be rounded, and long strings that nobody read are empty. */
  abstract readonly outline: JsonObject
  /** All of it, read when somebody wants it. */
  abstract readonly result: JsonObject
  /** Characters or bytes of the JSON. */
  abstract readonly length: number
  /** The JSON of `result` and of nothing else. */
  abstract text(): string

  /** The same in bytes, if it was not decoded yet. */
  bytes(): readonly Uint8Array[] | undefined {
    return undefined
  }
}

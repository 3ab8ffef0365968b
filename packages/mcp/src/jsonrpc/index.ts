export { canonicalJson } from './canonical-json.ts'
export { copyWith } from './copy-with.ts'
export * from './error-codes.ts'
export { JsonNumber, setMember, toNumber, withBigInts, withPlainNumbers, withSources } from './json-number.ts'
export {
  isJsonObject,
  isRequestId,
  type JsonObject,
  type JsonRpcError,
  type JsonRpcFailure,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type JsonRpcResult,
  type RequestId,
} from './message.ts'
export { McpError, type McpErrorCode } from './mcp-error.ts'
export { isNoise } from './is-noise.ts'
export {
  decodePieces,
  hasLongText,
  LONG_TEXT,
  LongJson,
  LongString,
  rawResultId,
  readRawResult,
  readResult,
  ResultBody,
  toPieces,
  type JsonPiece,
} from './result/index.ts'
export { classifyMessage, parseMessage, type ParsedMessage, unreadable } from './parse-message.ts'
export { isTooDeep, MAX_DEPTH, parseJson, tooDeep } from './parse-json.ts'
export { RefusedJson } from './refused-json.ts'
export { jsonReader, type NumberMode, type ReadJson } from './read-json.ts'
export { toJsonText } from './to-json-text.ts'
export { writeJson } from './write-json.ts'
export { ProtocolError } from './protocol-error.ts'

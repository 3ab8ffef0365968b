export {
  canonicalJson,
  copyWith,
  JsonNumber,
  setMember,
  toNumber,
  withBigInts,
  withPlainNumbers,
  withSources,
  isJsonObject,
  isRequestId,
  type JsonObject,
  type RequestId,
  writeJson,
  toJsonText,
} from './json.ts'
export * from './error-codes.ts'
export { type JsonRpcError, ProtocolError } from './protocol-error.ts'
export {
  type JsonRpcFailure,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type JsonRpcResult,
  isNoise,
  classifyMessage,
  parseMessage,
  type ParsedMessage,
  unreadable,
  decodePieces,
  readResult,
  ResultBody,
} from './message.ts'
export { McpError, type McpErrorCode } from './mcp-error.ts'
export { hasLongText, LONG_TEXT, LongJson, LongString, toPieces, type JsonPiece } from './long-json.ts'
export { rawResultId, readRawResult } from './raw-result.ts'
export {
  isTooDeep,
  MAX_DEPTH,
  parseJson,
  tooDeep,
  RefusedJson,
  jsonReader,
  type NumberMode,
  type ReadJson,
} from './read-json.ts'

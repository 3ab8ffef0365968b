// Long results: how they come in (as a `ResultBody`) and how they go out (as `LongJson`).
export { decodePieces } from './decode-pieces.ts'
export { hasLongText, LONG_TEXT, LongJson, LongString, toPieces, type JsonPiece } from './long-json.ts'
export { rawResultId, readRawResult } from './raw-result.ts'
export { readResult } from './read-result.ts'
export { ResultBody } from './result-body.ts'

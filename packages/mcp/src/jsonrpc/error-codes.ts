export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** Resource not found, up to 2025-11-25. */
export const RESOURCE_NOT_FOUND = -32002
/** URL elicitation required, 2025-11-25 only. */
export const URL_ELICITATION_REQUIRED = -32042
export const HEADER_MISMATCH = -32020
export const MISSING_CLIENT_CAPABILITY = -32021
export const UNSUPPORTED_PROTOCOL_VERSION = -32022

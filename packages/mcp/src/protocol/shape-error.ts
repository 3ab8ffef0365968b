import {
  INVALID_PARAMS,
  isJsonObject,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  type JsonRpcError,
} from '../jsonrpc/index.ts'
import type { Revision } from './revisions.ts'

/** Methods that fail when there is no resource with the URI that they name. */
const BY_URI: ReadonlySet<string> = new Set([
  'resources/read',
  'resources/directory/read',
  'resources/subscribe',
  'skills/get',
])

/** There is no such resource, as everything between the edges says it. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, `Resource not found: ${uri}`, { uri })
}

/** Whether an error means that there is no such resource, in the terms of any revision. */
export function isResourceNotFound(method: string, { code, data }: JsonRpcError): boolean {
  if (!BY_URI.has(method)) return false
  return (
    code === RESOURCE_NOT_FOUND ||
    (code === INVALID_PARAMS && isJsonObject(data) && typeof data.uri === 'string')
  )
}

/** Gives an error the code that a revision has for it: −32002 until 2025-11-25, −32602 since (changelog). */
export function shapeError(method: string, error: JsonRpcError, revision: Revision): JsonRpcError {
  if (!isResourceNotFound(method, error)) return error
  const code = revision >= '2026-07-28' ? INVALID_PARAMS : RESOURCE_NOT_FOUND
  return error.code === code ? error : { ...error, code }
}

import { INVALID_PARAMS, ProtocolError } from '../../jsonrpc/index.ts'
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts'

/** One page of a list, and the cursor of the next. */
export function pageOf<T>(
  items: readonly T[],
  cursor: unknown,
  size: number,
): { page: readonly T[]; nextCursor?: string } {
  const from = readCursor(cursor)
  const page = items.slice(from, from + size)
  return from + size < items.length ? { page, nextCursor: writeCursor(from + size) } : { page }
}

function writeCursor(from: number): string {
  return toBase64Url(new TextEncoder().encode(`from:${from}`))
}

function readCursor(cursor: unknown): number {
  if (cursor === undefined) return 0
  const bytes = typeof cursor === 'string' ? fromBase64Url(cursor) : undefined
  const found = bytes && /^from:([0-9]{1,9})$/.exec(new TextDecoder().decode(bytes))
  if (!found) throw new ProtocolError(INVALID_PARAMS, 'Invalid params: unknown cursor')
  return Number(found[1])
}

import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Below this, compression saves no packet. */
const SMALLEST = 1_024

/** Reads with a body. */
const READ_BY_POST = '/api/access/seen'

export interface Packed {
  readonly body: string | Buffer
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Compresses an answer as its reader accepts it, for reading requests only: tokens and login pages answer a POST. The
 * length of a compressed answer tells something about a secret in it when others choose a part of it and can have it
 * sent again (BREACH). No other site can send these requests, which carry the key of the console's page.
 */
export async function packed(text: string, { method, url, headers }: IncomingMessage): Promise<Packed> {
  const length = Buffer.byteLength(text)
  const accepted = acceptedEncodings(headers['accept-encoding'])
  const encoding = ['br', 'gzip'].find((name) => accepted.has(name))
  const plain = { 'content-length': String(length), vary: 'accept-encoding' }
  const isRead = method === 'GET' || url === READ_BY_POST
  if (encoding === undefined || !isRead || length < SMALLEST) return { body: text, headers: plain }
  const body = await (encoding === 'br' ? toBrotli(text, length) : promisify(gzip)(text))
  return { body, headers: { ...plain, 'content-length': String(body.length), 'content-encoding': encoding } }
}

/** Fast rather than small: it is made anew for every answer. */
function toBrotli(text: string, length: number): Promise<Buffer> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: length }
  return promisify(brotliCompress)(text, { params })
}

/** RFC 9110, section 12.5.3; `q=0` refuses. */
export function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const parts = String(header ?? '')
    .toLowerCase()
    .split(',')
  return new Set(
    parts.filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part)).map((part) => part.replace(/;.*/, '').trim()),
  )
}

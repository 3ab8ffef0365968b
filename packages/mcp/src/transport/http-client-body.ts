import { LONG_TEXT, McpError } from '../jsonrpc/index.ts'
import { displayUrl } from './http-client-errors.ts'
import { readChunks } from './sse-stream-read.ts'

/** What is left of a body is read up to here, so that its connection can be used again. */
const DISCARD_BYTES = 256 * 1024
const DISCARD_MS = 1_000
const ERROR_MS = 3_000

/** Reads a body as text, and refuses one that is larger than `limit` bytes without keeping it. */
export async function readText(response: Response, limit: number, url: string): Promise<string> {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  // The length counts what travels, so it bounds the text only when nothing is compressed.
  if (announced <= limit && !response.headers.has('content-encoding')) return await response.text()
  const { body } = response
  if (body === null) return ''
  if (announced <= limit || Number.isNaN(announced)) return await readCounted(body, limit, url)
  body.cancel().catch(() => {})
  throw tooLarge(url, limit)
}

/**
 * The bytes of a body that is long, not too long and not compressed, if the `fetch` that brought it can give them;
 * undefined otherwise.
 */
export function readPieces(response: Response, limit: number): Promise<readonly Uint8Array[]> | undefined {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (!(announced >= LONG_TEXT && announced <= limit) || response.headers.has('content-encoding'))
    return undefined
  const { pieces } = response as { pieces?(): Promise<readonly Uint8Array[]> | undefined }
  return pieces?.call(response)
}

async function readCounted(body: ReadableStream<Uint8Array>, limit: number, url: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  await readChunks(body, (chunk) => {
    bytes += chunk.byteLength
    if (bytes > limit) throw tooLarge(url, limit)
    text += decoder.decode(chunk, { stream: true })
  })
  return text + decoder.decode()
}

function tooLarge(url: string, limit: number): McpError {
  return new McpError(
    'too_large',
    `The answer of ${displayUrl(url)} is larger than ${limit} bytes; raise maxMessageBytes if that is expected`,
    { details: { url: displayUrl(url), limit } },
  )
}

/**
 * Reads what a server says with an error status: as much as comes within the limits, for a body that never ends
 * must not keep the error back. Never rejects.
 */
export async function readErrorText(response: Response, limit: number): Promise<string> {
  // An AuthProvider may have read it already.
  if (response.bodyUsed) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  await drain(response, ERROR_MS, (chunk) => {
    bytes += chunk.byteLength
    text += decoder.decode(chunk, { stream: true })
    return bytes <= limit
  })
  return text
}

/**
 * Gets rid of a body that nobody wants: reads a small one to its end, which gives the connection back to its
 * pool, and cancels one that is large or slow. Never rejects.
 */
export async function discard(response: Response): Promise<void> {
  let bytes = 0
  await drain(response, DISCARD_MS, (chunk) => {
    bytes += chunk.byteLength
    return bytes <= DISCARD_BYTES
  })
}

async function drain(
  response: Response,
  milliseconds: number,
  wantsMore: (chunk: Uint8Array) => boolean,
): Promise<void> {
  const { body } = response
  if (body === null || body.locked) return
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => {})
  const timer = setTimeout(cancel, milliseconds)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      if (!wantsMore(value)) return cancel()
    }
  } catch {
    // The connection broke: nothing is left to read.
  } finally {
    clearTimeout(timer)
  }
}

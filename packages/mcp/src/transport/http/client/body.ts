import { LONG_TEXT, McpError } from '../../../jsonrpc/index.ts'
import { displayUrl } from './errors.ts'
import { readChunks } from './sse-stream.ts'

/** The rest of a body is read up to this length, so that its connection can be used again. */
const DISCARD_BYTES = 256 * 1024
const DISCARD_MS = 1_000
const ERROR_MS = 3_000

/** Reads a body as text. Refuses one that has more than `limit` bytes after decoding, and does not keep it. */
export async function readText(response: Response, limit: number, url: string): Promise<string> {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (announced > limit) {
    response.body?.cancel().catch(() => {})
    throw tooLarge(url, limit)
  }
  // Our own `fetch` counts the bytes that it has decoded. With any other `fetch`, the length may be that of the
  // compressed body.
  const { textWithin } = response as LimitedBody
  if (textWithin === undefined) return response.body ? await readCounted(response.body, limit, url) : ''
  const text = await textWithin.call(response, limit)
  if (text === undefined) throw tooLarge(url, limit)
  return text
}

/** Methods of our own `fetch`'s responses besides those of `Response`. */
interface LimitedBody {
  textWithin?(limit: number): Promise<string | undefined>
  piecesWithin?(limit: number): Promise<readonly Uint8Array[] | undefined> | undefined
}

/** The bytes of a long, uncompressed body within the limit, if its `fetch` can give them. */
export function readPieces(
  response: Response,
  limit: number,
): Promise<readonly Uint8Array[] | undefined> | undefined {
  const announced = Number(response.headers.get('content-length') ?? Number.NaN)
  if (!(announced >= LONG_TEXT && announced <= limit) || response.headers.has('content-encoding'))
    return undefined
  return (response as LimitedBody).piecesWithin?.(limit)
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

/** Explanations and JSON-RPC errors are short; whatever is longer is cut. */
const ERROR_BYTES = 1024 * 1024

/** The same response with at most a megabyte of body, for readers that do not count. */
export function withShortBody(response: Response): Response {
  if (response.body === null) return response
  let bytes = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= ERROR_BYTES) controller.enqueue(chunk)
      else controller.error(new McpError('too_large', `The body is larger than ${ERROR_BYTES} bytes`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(count), { status, statusText, headers })
}

/** Reads the text of an error within the limits. Never rejects. */
export async function readErrorText(response: Response, maxMessageBytes: number): Promise<string> {
  // An AuthProvider may have read it already.
  if (response.bodyUsed) return ''
  const limit = Math.min(maxMessageBytes, ERROR_BYTES)
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  await drain(response.body, ERROR_MS, (chunk) => {
    bytes += chunk.byteLength
    text += decoder.decode(chunk, { stream: true })
    return bytes <= limit
  })
  return text
}

/** Gets rid of a body: reads a small one to its end, cancels others. Never rejects. */
export function discard(response: Response): Promise<void> {
  return discardStream(response.body)
}

export async function discardStream(body: ReadableStream<Uint8Array> | null): Promise<void> {
  let bytes = 0
  await drain(body, DISCARD_MS, (chunk) => {
    bytes += chunk.byteLength
    return bytes <= DISCARD_BYTES
  })
}

async function drain(
  body: ReadableStream<Uint8Array> | null,
  milliseconds: number,
  wantsMore: (chunk: Uint8Array) => boolean,
): Promise<void> {
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

import type { Canceller } from '../../../exchange/index.ts'
import { decodePieces, McpError, readRawResult } from '../../../jsonrpc/index.ts'
import { type AnswerOptions, AnswerReader } from './answer.ts'
import { readErrorText, readPieces, readText } from './body.ts'
import { abortError, badResponse, endedWithoutAnswer, headOf } from './errors.ts'
import { followStream } from './follow.ts'
import { mediaType } from './messages.ts'
import type { HttpClientSettings } from './options.ts'
import { isSessionRefusal } from './session-lost.ts'
import { createSseCursor, type OnSseEvent, type SseCursor, SseParser } from './sse-stream.ts'
import { readChunks } from './sse-stream-read.ts'

export interface ReadAnswerOptions extends AnswerOptions {
  /** The 2xx response to the POST. */
  response: Response
  /** Whether the revision knows `Last-Event-ID`: those before 2026-07-28. */
  resumable: boolean
  headers: () => Record<string, string>
  /** Whether a long result may be a `RawResult`. */
  takesBytes?: boolean | undefined
  onDetached?: ((retryMs: number | undefined) => void) | undefined
  /** The stream could not be resumed, as if its session were gone. */
  onDoubt?: (() => void) | undefined
  abort: Canceller
  settings: HttpClientSettings
}

/** After the answer a server should end the stream; doing it from here costs the connection. */
const LINGER_MS = 1_000

/** Reads the response to a request's POST until the answer has come and nothing is left open. */
export async function readAnswer(options: ReadAnswerOptions): Promise<void> {
  const { response, url, request } = options
  const type = mediaType(response)
  if (type === 'text/event-stream') return readStream(options)
  if (type === 'application/json') return readJson(options)
  const text = await readErrorText(response, options.settings.maxMessageBytes)
  throw badResponse(
    url,
    `answered ${request.method} with HTTP ${response.status} and ${type === '' ? 'no content type' : type} instead of JSON or an event stream. Check that the URL is the MCP endpoint.`,
    { status: response.status, contentType: type, body: headOf(text) },
  )
}

async function readJson(options: ReadAnswerOptions): Promise<void> {
  const { url, request, settings, response } = options
  const reader = new AnswerReader(options)
  let text: string
  try {
    const pieces = options.takesBytes ? await readPieces(response, settings.maxMessageBytes) : undefined
    const raw = pieces && readRawResult(pieces, settings.read)
    if (raw) return reader.accept(raw)
    text = pieces
      ? decodePieces(pieces, new TextDecoder())
      : await readText(response, settings.maxMessageBytes, url)
  } catch (thrown) {
    throw thrown instanceof McpError ? thrown : endedWithoutAnswer(url, request.method, thrown)
  }
  reader.read(text)
  if (reader.answered) return
  throw badResponse(url, `answered ${request.method} with a body that holds no answer to it`, {
    status: response.status,
    body: headOf(text),
  })
}

async function readStream(options: ReadAnswerOptions): Promise<void> {
  const { url, request, settings, response, abort } = options
  if (response.body === null) throw endedWithoutAnswer(url, request.method)
  let linger: ReturnType<typeof setTimeout> | undefined
  const reader = new AnswerReader({
    ...options,
    onAnswer: (answer) => {
      linger = setTimeout(() => abort.abort(), LINGER_MS)
      options.onAnswer(answer)
    },
  })
  const cursor = createSseCursor()
  const onEvent: OnSseEvent = (data, type) => {
    if (type === 'message' && data !== '') reader.read(data)
  }
  try {
    const broken = await readOnce(response.body, { onEvent, cursor, maxLength: settings.maxMessageBytes })
    if (!reader.answered) await resume(options, { reader, cursor, onEvent, broken })
  } finally {
    clearTimeout(linger)
  }
}

/** Resolves with what broke the connection, if it did not end in order. Rejects when nothing can be saved. */
async function readOnce(
  body: ReadableStream<Uint8Array>,
  options: ConstructorParameters<typeof SseParser>[0],
): Promise<unknown> {
  const parser = new SseParser(options)
  try {
    await readChunks(body, (chunk) => parser.push(chunk))
    return undefined
  } catch (thrown) {
    if (thrown instanceof McpError) throw thrown
    return thrown
  }
}

/** Goes on with a stream that ended early, where the revision and the server allow it; fails at once if not. */
async function resume(
  options: ReadAnswerOptions,
  stream: { reader: AnswerReader; cursor: SseCursor; onEvent: OnSseEvent; broken: unknown },
): Promise<void> {
  const { url, request, abort, settings } = options
  const { reader, cursor, onEvent } = stream
  if (abort.aborted) throw abortError(abort.reason)
  if (!options.resumable || cursor.lastEventId === '' || settings.reconnect.maxAttempts === 0) {
    throw endedWithoutAnswer(url, request.method, stream.broken)
  }
  // A stream that ends in order after a `retry:` was let go of; one that broke off was not.
  if (stream.broken === undefined && cursor.retry !== undefined) options.onDetached?.(cursor.retry)
  const isDone = (): boolean => reader.answered
  const end = await followStream({
    ...options,
    cursor,
    onEvent,
    waitFirst: true,
    isDone,
    signal: abort.signal,
  })
  if (end.type === 'done') return
  if (end.type === 'refused' && isSessionRefusal(end.error)) options.onDoubt?.()
  // Without a status it was not the server that refused: what came could not be read.
  if (end.type === 'refused' && end.status === undefined) throw end.error
  throw endedWithoutAnswer(url, `${request.method}, and could not be resumed`, end.error)
}

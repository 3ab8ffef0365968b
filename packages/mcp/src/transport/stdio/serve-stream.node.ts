import type { Readable, Writable } from 'node:stream'
import { cutOff, writeError } from '../../exchange/server/answer.ts'
import { writeLongOutcome } from '../../exchange/server/long-answer.ts'
import type { RequestContext, Served } from '../../exchange/index.ts'
import { ServerConnection } from '../../exchange/server/server-connection.ts'
import {
  INVALID_REQUEST,
  type JsonRpcError,
  type LateJson,
  type LongJson,
  type McpError,
} from '../../jsonrpc/index.ts'
import { type Duration, type FormsOf, parseDuration, requireKnownOptions } from '../../protocol/index.ts'
import { LineWriter, type WriteBytes } from './line-writer.node.ts'
import { DEFAULT_MAX_LINE_BYTES, LineSplitter } from './lines.node.ts'
import { createUnread, PipeReader } from './pipe-reader.node.ts'
import { reportSafely } from '../reports.ts'
import type { UnreadAnswers } from '../held-bytes.ts'

export interface ServeStreamOptions {
  context?: RequestContext
  maxLineBytes?: number
  maxInFlight?: number
  /** How long requests may go on after the end of input. Default 1500 ms. */
  drainTimeout?: Duration
  /** Stops serving: nothing more is read. Requests under way may go on for `stopTimeout`. */
  signal?: AbortSignal
  /** Default: as long as after the end of input. */
  stopTimeout?: Duration
  /** Told about lines that could not be read. */
  onProtocolError?: (error: { code: number; message: string }) => void
  /** Counts unread bytes and limits stalling; connections can share it. Default: 64 MB and 30 seconds. */
  unread?: UnreadAnswers
  /** Told why the connection of a client was ended that does not read. */
  onCutOff?: (reason: McpError) => void
  /** How lines are written; the output's own way unless it is guarded. */
  write?: WriteBytes
}

const STREAM_OPTIONS: FormsOf<ServeStreamOptions> = {
  context: 1,
  maxLineBytes: 1,
  maxInFlight: 1,
  drainTimeout: 1,
  signal: 1,
  stopTimeout: 1,
  onProtocolError: 1,
  unread: 1,
  onCutOff: 1,
  write: 1,
}

export function requireStreamOptions(options: object, others: object = {}): void {
  requireKnownOptions('server on a pipe', { ...STREAM_OPTIONS, ...others }, options)
}

/** A reader this far behind stops us from reading more requests. */
const MAX_BUFFERED = 16 * 1024 * 1024
/** With what is left of two seconds for the last bytes: then clients start to send signals. */
const DEFAULT_DRAIN_TIMEOUT = 1_500
const LEAST_FLUSH_TIME = 300

/** Serves newline-delimited JSON over any pair of byte streams until the input ends. */
export async function serveStream(
  served: Served,
  input: Readable,
  output: Writable,
  options: ServeStreamOptions = {},
): Promise<void> {
  requireStreamOptions(options)
  const writer = new LineWriter(output, options.write)
  const stalled = new AbortController()
  const reader = new PipeReader(writer, options.unread ?? createUnread(), (reason) => {
    stalled.abort()
    reportSafely(options.onCutOff, reason)
  })
  const isCongested = (): boolean => writer.buffered > MAX_BUFFERED
  const send = (message: string | LongJson | LateJson): void => {
    writer.write(message)
    if (isCongested()) input.pause()
  }
  const connection = new ServerConnection(served, {
    send,
    long: { write: writeLongOutcome, send },
    sendLate: send,
    isCongested,
    refusesToHold: (length) => reader.refusesToHold(length),
    ...(options.context && { context: options.context }),
    ...(options.maxInFlight !== undefined && { maxInFlight: options.maxInFlight }),
  })
  writer.onDrain = () => {
    connection.caughtUp()
    if (!isCongested()) input.resume()
  }
  const drainTimeout = parseDuration(options.drainTimeout ?? DEFAULT_DRAIN_TIMEOUT)
  const lines = splitLines(options, {
    onLine(line) {
      if (line.trim() === '') return
      const error = connection.receiveText(line)
      if (error) reportSafely(options.onProtocolError, error)
    },
    onTooLong(error) {
      writer.write(writeError(null, error))
      reportSafely(options.onProtocolError, error)
    },
  })
  const end = await inputEnd(input, output, lines, { stop: options.signal, stalled: stalled.signal })
  writer.onDrain = undefined
  if (end === 'gone') connection.close()
  else {
    // Answers that are still being worked on get a last chance: people pipe requests in and read what comes out.
    connection.hangUp()
    const gone = new Promise<void>((resolve) => {
      writer.onGone = resolve
    })
    const limit = end === 'ended' ? drainTimeout : parseDuration(options.stopTimeout ?? drainTimeout)
    await within(limit, Promise.race([connection.idle(), gone]))
    connection.close('closed', cutOff())
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (!stalled.signal.aborted) await within(Math.max(LEAST_FLUSH_TIME, drainTimeout / 4), writer.end())
  reader.close()
}

type End =
  /** The peer has said all it wants to say. */
  | 'ended'
  /** We were told to stop. */
  | 'stopped'
  /** The peer is gone. */
  | 'gone'

function splitLines(
  options: ServeStreamOptions,
  handlers: { onLine(line: string): void; onTooLong(error: JsonRpcError): void },
): LineSplitter {
  const limit = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES
  const message = `Invalid request: the line is longer than ${limit} bytes`
  let told = false
  return new LineSplitter(
    {
      onLine: handlers.onLine,
      // Told at once: a line without an end must not go unanswered.
      onOversize(_piece, end) {
        if (!told) handlers.onTooLong({ code: INVALID_REQUEST, message })
        told = !end
      },
    },
    limit,
  )
}

function inputEnd(
  input: Readable,
  output: Writable,
  lines: LineSplitter,
  { stop, stalled }: { stop: AbortSignal | undefined; stalled: AbortSignal },
): Promise<End> {
  return new Promise((resolve) => {
    const onData = (chunk: Buffer): void => void lines.push(chunk)
    const finish = (end: End): void => {
      input.off('data', onData)
      input.off('end', onEnd)
      for (const stream of [input, output]) stream.off('close', onGone)
      output.off('error', onGone)
      stop?.removeEventListener('abort', onStop)
      stalled.removeEventListener('abort', onGone)
      input.pause()
      resolve(end)
    }
    const onEnd = (): void => {
      lines.end()
      finish('ended')
    }
    const onGone = (): void => finish('gone')
    const onStop = (): void => finish('stopped')
    if (input.destroyed) return onGone()
    if (stop?.aborted) return onStop()
    input.on('data', onData)
    input.once('end', onEnd)
    // Stays: an error after the end does not matter, and must not end the process.
    input.on('error', onGone)
    for (const stream of [input, output]) stream.once('close', onGone)
    output.once('error', onGone)
    stop?.addEventListener('abort', onStop, { once: true })
    stalled.addEventListener('abort', onGone, { once: true })
  })
}

function within(timeout: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout)
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}

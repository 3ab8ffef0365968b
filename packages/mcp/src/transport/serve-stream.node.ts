import type { Readable, Writable } from 'node:stream'
import { ServerConnection, writeError, type RequestContext, type Served } from '../exchange/index.ts'
import { INVALID_REQUEST, PARSE_ERROR } from '../jsonrpc/index.ts'
import { LineWriter } from './line-writer.node.ts'
import { DEFAULT_MAX_LINE_BYTES, LineSplitter } from './lines.ts'

export interface ServeStreamOptions {
  context?: RequestContext
  maxLineBytes?: number
  maxInFlight?: number
  /** How long requests may go on after the end of input. */
  drainTimeout?: number
  /** Stops serving. */
  signal?: AbortSignal
  /** Told about lines that could not be read. */
  onProtocolError?: (error: { code: number; message: string }) => void
  /** How lines are written; the stream's own way unless it is guarded. */
  write?: (text: string) => boolean
}

/** A reader this far behind stops us from reading more requests. */
const MAX_BUFFERED = 16 * 1024 * 1024
const DEFAULT_DRAIN_TIMEOUT = 5_000

/** Serves newline-delimited JSON over any pair of byte streams until the input ends. */
export async function serveStream(
  served: Served,
  input: Readable,
  output: Writable,
  options: ServeStreamOptions = {},
): Promise<void> {
  const writer = new LineWriter(output, options.write)
  const connection = new ServerConnection(served, {
    send: (text) => {
      writer.write(text)
      if (writer.buffered > MAX_BUFFERED) input.pause()
    },
    ...(options.context && { context: options.context }),
    ...(options.maxInFlight !== undefined && { maxInFlight: options.maxInFlight }),
  })
  writer.onDrain = () => input.resume()
  const complain = (code: number, message: string): void => {
    writer.write(writeError(null, { code, message }))
    options.onProtocolError?.({ code, message })
  }
  const lines = new LineSplitter(
    {
      onLine: (line) => receiveLine(line, connection, complain),
      onOversize: (_piece, end) => {
        if (end) complain(INVALID_REQUEST, `Invalid request: the line is longer than ${limit} bytes`)
      },
    },
    options.maxLineBytes,
  )
  const limit = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES
  await ended(input, lines, options.signal)
  await settled(connection, options.drainTimeout ?? DEFAULT_DRAIN_TIMEOUT)
  connection.close()
  await writer.end()
}

function receiveLine(
  line: string,
  connection: ServerConnection,
  complain: (code: number, message: string) => void,
): void {
  if (line.length === 0 || line.trim() === '') return
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    complain(PARSE_ERROR, 'Parse error: the line is not valid JSON')
    return
  }
  connection.receive(value)
}

function ended(input: Readable, lines: LineSplitter, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const onData = (chunk: Buffer): void => lines.push(chunk)
    const finish = (): void => {
      input.off('data', onData)
      input.off('error', finish)
      input.off('close', finish)
      signal?.removeEventListener('abort', finish)
      input.pause()
      resolve()
    }
    input.on('data', onData)
    input.once('end', () => {
      lines.end()
      finish()
    })
    input.once('error', finish)
    input.once('close', finish)
    if (signal?.aborted) finish()
    signal?.addEventListener('abort', finish, { once: true })
  })
}

/** Answers that are still being worked on get a last chance: the input may end right after a question. */
function settled(connection: ServerConnection, timeout: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeout)
  })
  return Promise.race([connection.idle(), deadline]).finally(() => clearTimeout(timer))
}

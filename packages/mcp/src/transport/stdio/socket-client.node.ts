import { connect, type Socket } from 'node:net'
import type { Connector } from '../../exchange/index.ts'
import { McpError, type NumberMode } from '../../jsonrpc/index.ts'
import { requireKnownOptions } from '../../protocol/index.ts'
import { cancelled } from './client.node.ts'
import { DEFAULT_MAX_LINE_BYTES, StdioClientWriter } from './lines.node.ts'
import { within } from '../process/server.node.ts'
import { LineWire } from './line-wire.node.ts'

const CLOSE_GRACE_MS = 2000

/** A Unix socket (or Windows named pipe), or a TCP port. */
export type SocketAddress = { path: string } | { host?: string | undefined; port: number }

export type SocketOptions = SocketAddress & {
  /** The longest message that is accepted, in bytes. Default 64 MiB. See `StdioOptions`. */
  maxLineBytes?: number | undefined
  /** Hears of useless output of a server: lines that are not JSON, answers to unknown ids. */
  onProtocolError?: ((error: McpError) => void) | undefined
}

const SOCKET_OPTIONS = { path: 1, host: 1, port: 1, maxLineBytes: 1, onProtocolError: 1 } as const

export interface SocketConnector extends Connector {
  readonly kind: 'socket'
}

/**
 * Reaches a server that listens on a socket and speaks as on stdio: one JSON-RPC message per line.
 *
 * @example
 * ```ts
 * const wire = await socket({ path: '/run/notes.sock' }).open()
 * await wire.close()
 * ```
 */
export function socket(options: SocketOptions): SocketConnector {
  requireKnownOptions('socket', SOCKET_OPTIONS, options)
  const key =
    'path' in options ? `unix:${options.path}` : `tcp://${options.host ?? 'localhost'}:${options.port}`
  return {
    kind: 'socket',
    key,
    open: async (how) => {
      const opened = await connected(options, key, how?.signal)
      return new SocketWire(opened, key, options, how?.numbers)
    },
  }
}

function connected(options: SocketOptions, key: string, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) throw cancelled(`Connecting to ${key}`, signal)
    const opened =
      'path' in options ? connect(options.path) : connect(options.port, options.host ?? 'localhost')
    const onAbort = (): void => {
      opened.destroy()
      reject(cancelled(`Connecting to ${key}`, signal as AbortSignal))
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    opened.once('connect', () => {
      signal?.removeEventListener('abort', onAbort)
      opened.setNoDelay(true)
      resolve(opened)
    })
    opened.once('error', (cause) => {
      signal?.removeEventListener('abort', onAbort)
      reject(
        new McpError('network', `Could not connect to ${key}: ${cause.message}`, {
          cause,
          details: { address: key },
        }),
      )
    })
  })
}

class SocketWire extends LineWire {
  readonly kind = 'socket' as const
  readonly #key: string
  readonly #socket: Socket
  readonly #writer: StdioClientWriter
  readonly #gone: Promise<void>
  #cause: Error | undefined

  constructor(opened: Socket, key: string, options: SocketOptions, numbers?: NumberMode) {
    const writer = new StdioClientWriter(opened)
    super({
      sink: writer,
      key,
      numbers,
      maxLineBytes: options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      facts: () => ({ address: key }),
      onProtocolError: options.onProtocolError,
    })
    this.#key = key
    this.#socket = opened
    this.#writer = writer
    this.read(opened)
    opened.on('end', () => this.drain())
    opened.on('error', (error) => {
      this.#cause = error
    })
    this.#gone = new Promise((resolve) => opened.once('close', resolve as () => void))
    this.#gone.then(() => this.#finish())
  }

  close(): Promise<void> {
    return this.closeOnce(() => this.#shutDown())
  }

  /** Ends our side and waits for the other side to end, for a short time only. */
  async #shutDown(): Promise<void> {
    this.end(() => this.#error(`The connection to ${this.#key} was closed`))
    this.#writer.end()
    await within(CLOSE_GRACE_MS, this.#gone)
    this.#socket.destroy()
    await this.#gone
  }

  #finish(): void {
    const reason = (): McpError => this.#error(`${this.#key} closed the connection`)
    this.end(reason)
    this.tellGone({ reason: this.closing ? undefined : reason() })
  }

  #error(message: string): McpError {
    const why = this.#cause === undefined ? '' : `: ${this.#cause.message}`
    return new McpError('closed', message + why, { cause: this.#cause, details: { address: this.#key } })
  }
}

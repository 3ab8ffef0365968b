import {
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ConnectionOptions } from 'node:tls'

/** Another process of this gateway. */
export interface PassedTo extends RequestOptions {
  /** Headers for that process. */
  readonly added?: readonly string[]
  /** For a connection that is encrypted. */
  readonly tls?: ConnectionOptions | undefined
  /** Calls `end` when that process is gone and says nothing more. The function returned takes that back. */
  untilGone?(end: () => void): () => void
}

/** Where a request that was passed on came from. */
export const PEER = 'x-gantry-peer'

/**
 * Passes a request on to another process of this gateway, and its answer back, as they come. When one side ends, the
 * other ends, too. `otherwise` is called when that process was not reached, or refused with a status: it has seen
 * nothing of the request.
 */
export function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  to: PassedTo,
  otherwise: (status?: number) => void,
): void {
  const { added = [], tls, untilGone, ...place } = to
  const { method, url, rawHeaders, socket } = request
  const passed = (tls ? httpsRequest : httpRequest)({
    ...tls,
    method,
    path: url,
    agent: false,
    ...place,
    headers: [
      ...withoutOurs(rawHeaders),
      PEER,
      socket.remoteAddress ?? '',
      'expect',
      '100-continue',
      ...added,
    ],
  })
  let isTaken = false
  let isOver = false
  const give = (): void => void passed.destroy()
  const forget = untilGone?.(() => passed.destroy(new Error('The process is gone')))
  const leave = (): void => {
    isOver = true
    response.off('close', give)
    forget?.()
  }
  // The other process confirms that it has the session. Until then the body is kept here.
  passed.once('continue', () => {
    isTaken = true
    request.pipe(passed)
  })
  passed.once('response', (answer) => {
    if (!isTaken) {
      leave()
      // Its body is not sent: the connection can take no other request.
      passed.destroy()
      return otherwise(answer.statusCode)
    }
    response.writeHead(answer.statusCode ?? 502, withoutHop(answer.rawHeaders))
    response.flushHeaders()
    answer.pipe(response)
    answer.once('error', () => response.destroy())
  })
  passed.once('error', () => {
    if (isOver) return
    leave()
    if (!isTaken) return otherwise()
    // It is unknown whether the other process has seen the request.
    if (response.headersSent) response.destroy()
    else response.writeHead(502, { 'content-type': 'text/plain' }).end('The process of this session ended.\n')
  })
  response.once('close', give)
  passed.once('close', leave)
  passed.flushHeaders()
}

/** A request that another process passed on, as if it had come here. */
export function takeIn(request: IncomingMessage): void {
  const peer = request.headers[PEER]
  delete request.headers[PEER]
  delete request.headers.expect
  // The process that a caller came to counts what the caller holds.
  Object.defineProperty(request.socket, 'remoteAddress', { value: peer || undefined, configurable: true })
}

/** Headers that only processes of the gateway may set, or that are written again. */
function withoutOurs(raw: readonly string[]): string[] {
  return without(raw, /^(expect|x-gantry-.*)$/i)
}

/** Headers about the connection between the processes are not for the client. */
function withoutHop(raw: readonly string[]): string[] {
  return without(raw, /^(connection|keep-alive|transfer-encoding)$/i)
}

function without(raw: readonly string[], names: RegExp): string[] {
  return raw.filter((_, at) => !names.test(raw[at - (at % 2)]!))
}

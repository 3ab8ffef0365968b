import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { writeJson } from '@gantry/mcp/exchange'
import type { StreamItem } from '../contract.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

const PULSE = 15_000
/** A reader this far behind is cut off; it comes back with `Last-Event-ID` and goes on. */
const MAX_BEHIND = 4 * 1024 * 1024

/** Sends events as they come, until there are no more or the reader is gone. */
export async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<StreamItem<{ type: string }>>,
  scrub: (text: string) => string,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  // The first event decides between a stream and an error, which has a status.
  let next = await iterator.next()
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const pulse = setInterval(() => response.write(':\n\n'), PULSE)
  const closed = once(response, 'close').then(() => iterator.return?.())
  closed.catch(() => {})
  try {
    while (!next.done && !response.destroyed) {
      const { id, event } = next.value
      const named = id === undefined ? '' : `id: ${id}\n`
      response.write(`${named}event: ${event.type}\ndata: ${scrub(writeJson(event))}\n\n`)
      if (response.writableLength > MAX_BEHIND) return void response.destroy()
      next = await iterator.next()
    }
    response.end()
  } finally {
    clearInterval(pulse)
    await iterator.return?.()
  }
}

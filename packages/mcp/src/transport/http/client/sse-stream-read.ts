import { type Arrivals, ArrivingMessage } from '../../held-bytes.ts'
import { SseParser, type SseParserOptions } from './sse-stream.ts'

/** Hands over chunks until the end, or until `onChunk` throws; then cancels. Waits for a promise of `onChunk`. */
export async function readChunks(
  body: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => Promise<void> | void,
): Promise<void> {
  // Not `for await`: Safari's streams are not async iterable.
  const reader = body.getReader()
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        ended = true
        return
      }
      const busy = onChunk(value)
      // A body that breaks off meanwhile is not waited for.
      if (busy) await Promise.race([busy, reader.closed])
    }
  } finally {
    if (!ended) reader.cancel().catch(() => {})
    reader.releaseLock()
  }
}

/** Reads an event stream to its end. A long event goes on when there is room for it. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  options: SseParserOptions & { arrivals: Arrivals | undefined; origin?: object | undefined },
): Promise<void> {
  const parser = new SseParser(options)
  let goOn = (): void => {}
  const event = new ArrivingMessage(options.arrivals, () => goOn(), options.origin)
  try {
    await readChunks(body, (chunk) => {
      parser.push(chunk)
      if (event.has(parser.held)) return
      return new Promise<void>((resolve) => {
        goOn = resolve
      })
    })
  } finally {
    event.end()
  }
}

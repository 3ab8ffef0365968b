/**
 * Hands over the chunks of a body until it ends, or until `onChunk` throws or answers `false`; then the body is
 * cancelled. Never leaves it locked or open.
 */
export async function readChunks(
  body: ReadableStream<Uint8Array>,
  // biome-ignore lint/suspicious/noConfusingVoidType: most callers have nothing to say
  onChunk: (chunk: Uint8Array) => boolean | void,
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
      if (onChunk(value) === false) return
    }
  } finally {
    if (!ended) reader.cancel().catch(() => {})
    reader.releaseLock()
  }
}

/** Hands over chunks until the end, or until `onChunk` throws or returns `false`; then cancels. */
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

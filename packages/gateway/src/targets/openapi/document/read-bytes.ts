/** Reads a response's body to the end, or to the limit: `complete` says which. Counts decompressed bytes. */
export async function readBytes(
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array; complete: boolean }> {
  if (response.body === null) return { bytes: new Uint8Array(), complete: true }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let complete = true
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const room = limit - size
    chunks.push(value.length > room ? value.subarray(0, room) : value)
    size += Math.min(value.length, room)
    if (value.length > room) {
      complete = false
      await reader.cancel().catch(() => {})
      break
    }
  }
  return { bytes: Buffer.concat(chunks), complete }
}

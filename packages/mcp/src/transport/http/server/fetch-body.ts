import { type BodyRefusal, type IncomingBodies, tooLarge } from './incoming-bodies.ts'

/** The body as text, or why it was not taken. Rejects when it breaks off. */
export async function readFetchBody(
  request: Request,
  bodies: IncomingBodies,
  sender: string,
): Promise<string | BodyRefusal> {
  const { maxBytes } = bodies.limits
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge(maxBytes)
  if (!request.body) return ''
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  const reader = request.body.getReader()
  let refusal: BodyRefusal | undefined
  const incoming = bodies.open(sender, (late) => {
    refusal = late
    reader.cancel().catch(() => {})
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (refusal) return refusal
      if (done) break
      refusal = bodies.add(incoming, value.byteLength)
      if (refusal) {
        reader.cancel().catch(() => {})
        return refusal
      }
      parts.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    incoming.close()
  }
  parts.push(decoder.decode())
  return parts.join('')
}

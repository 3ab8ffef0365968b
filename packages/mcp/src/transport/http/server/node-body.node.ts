import type { IncomingMessage } from 'node:http'
import { type BodyRefusal, type IncomingBodies, tooLarge } from './incoming-bodies.ts'

export interface BodyReader {
  readonly sender: string
  done(body: string): void
  refuse(refusal: BodyRefusal): void
}

/** Most bodies come in one chunk; those that do not are joined and decoded once. */
export function readNodeBody(request: IncomingMessage, bodies: IncomingBodies, reader: BodyReader): void {
  if (Number(request.headers['content-length'] ?? 0) > bodies.limits.maxBytes) {
    return reader.refuse(tooLarge(bodies.limits.maxBytes))
  }
  const chunks: Buffer[] = []
  const stop = (): void => {
    incoming.close()
    chunks.length = 0
    request.off('data', onData)
    request.off('end', onEnd)
  }
  const refuse = (refusal: BodyRefusal): void => {
    stop()
    reader.refuse(refusal)
  }
  const onData = (chunk: Buffer): void => {
    const refusal = bodies.add(incoming, chunk.length)
    if (refusal) refuse(refusal)
    else chunks.push(chunk)
  }
  const onEnd = (): void => {
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    stop()
    reader.done(body.toString('utf8'))
  }
  const incoming = bodies.open(reader.sender, refuse)
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('error', () => {})
  request.once('close', stop)
}

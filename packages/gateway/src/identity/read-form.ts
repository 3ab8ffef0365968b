import type { IncomingMessage } from 'node:http'

/** Returns undefined when the body is not a form, or is too long. */
export async function readForm(request: IncomingMessage, most: number): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return undefined
  let text = ''
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    text += chunk.toString('latin1')
    if (text.length > most) return undefined
  }
  return new URLSearchParams(text)
}

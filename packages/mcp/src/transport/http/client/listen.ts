import type { IncomingMessage } from '../../../exchange/index.ts'
import { followStream } from './follow.ts'
import { badResponse, isSessionRefusal } from './errors.ts'
import { forEachMessage, unreadable } from './messages.ts'
import type { HttpClientSettings } from './options.ts'
import { createSseCursor } from './sse-stream.ts'

export interface ListenOptions {
  url: string
  headers: () => Record<string, string>
  onMessage: (message: IncomingMessage) => void
  onOpen: () => void
  signal: AbortSignal
  settings: HttpClientSettings
}

/** Servers without a GET stream say 405; some say 404 or 406 (2025-11-25, Listening for Messages). */
const NO_STREAM = [404, 405, 406]

/** Reads the GET stream of a legacy session until it is gone. 'doubtful': the session may be gone. */
export async function listen(options: ListenOptions): Promise<'ended' | 'exhausted' | 'doubtful'> {
  const { url, settings } = options
  const cursor = createSseCursor()
  let wasOpen = false
  const onOpen = (): void => {
    wasOpen = true
    options.onOpen()
  }
  const onEvent = (data: string, type: string): void => {
    if (type === 'message' && data !== '') readMessages(data, options)
  }
  for (;;) {
    const end = await followStream({
      ...options,
      cursor,
      onEvent,
      onOpen,
      waitFirst: false,
      isDone: () => false,
    })
    if (end.type === 'done') return 'ended'
    const hasNone = end.type === 'refused' && NO_STREAM.includes(end.status ?? 0)
    if (end.type === 'refused' && isSessionRefusal(end.error) && (wasOpen || !hasNone)) return 'doubtful'
    if (end.type === 'refused' && end.status === 400 && cursor.lastEventId !== '') {
      // The server has forgotten our place in the stream: begin a new stream rather than hear nothing.
      settings.report(() =>
        badResponse(url, 'cannot resume its event stream; messages may be lost', { status: 400 }),
      )
      cursor.lastEventId = ''
    } else {
      if (!hasNone) settings.report(() => end.error)
      return end.type === 'exhausted' ? 'exhausted' : 'ended'
    }
  }
}

function readMessages(data: string, { url, onMessage, settings }: ListenOptions): void {
  forEachMessage(data, settings.read, (parsed) => {
    if (parsed.kind === 'request' || parsed.kind === 'notification') onMessage(parsed.message)
    else if (parsed.kind === 'invalid')
      settings.report(() => unreadable(url, data, parsed.reply.error.message))
    else settings.report(() => badResponse(url, 'sent a response on a stream that belongs to no request'))
  })
}

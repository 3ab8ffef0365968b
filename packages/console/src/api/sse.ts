export interface SseEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

/** Cuts a stream of server-sent events into events, however it was sliced on the way. */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let rest = ''
  let id = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const event = parseBlock(block)
      if (event.id !== undefined) id = event.id
      if (event.data !== undefined) yield { id, type: event.type, data: event.data }
    }
  }
}

function parseBlock(block: string): { id?: string; type: string; data?: string } {
  const event: { id?: string; type: string; data?: string } = { type: 'message' }
  for (const line of block.split('\n')) {
    const [, field, value] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (field === 'id') event.id = value!
    else if (field === 'event') event.type = value!
    else if (field === 'data') event.data = event.data === undefined ? value! : `${event.data}\n${value!}`
  }
  return event
}

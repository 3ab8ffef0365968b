export interface ServerEvent {
  readonly id: string | undefined
  readonly data: string
}

/** Reads server-sent events as the gateway writes them: `id`, `event` and one line of `data` each. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const event = parseBlock(block)
        if (event) yield event
      }
    }
  } finally {
    // Leaving the loop closes the connection.
    await reader.cancel().catch(() => {})
  }
}

function parseBlock(block: string): ServerEvent | undefined {
  let id: string | undefined
  let data: string | undefined
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4)
    else if (line.startsWith('data: ')) data = line.slice(6)
  }
  return data === undefined ? undefined : { id, data }
}

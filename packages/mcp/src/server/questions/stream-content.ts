import type { ContentBlock } from '../../protocol/index.ts'

export interface StreamHost {
  readonly signal: AbortSignal
  /** Tells the client that there is more, with the piece where it takes pieces. */
  tell(piece: ContentBlock): void
}

/** A source for streaming: pieces of text, and content of other kinds. */
export type StreamSource = Iterable<string | ContentBlock> | AsyncIterable<string | ContentBlock>

/** Reports each piece as it comes, and returns the whole. Pieces of text that follow each other are joined. */
export async function streamContent(
  source: StreamSource,
  { signal, tell }: StreamHost,
): Promise<ContentBlock[]> {
  const whole: ContentBlock[] = []
  let texts: string[] = []
  const closeText = (): void => {
    if (texts.length > 0) whole.push({ type: 'text', text: texts.join('') })
    texts = []
  }
  for await (const piece of source) {
    signal.throwIfAborted()
    if (typeof piece === 'string') {
      if (piece === '') continue
      texts.push(piece)
      tell({ type: 'text', text: piece })
    } else {
      closeText()
      whole.push(piece)
      tell(piece)
    }
  }
  closeText()
  return whole
}

const texts = new Map()

/** A text of so many bytes, made once: making it is not what is measured. */
export function longText(bytes) {
  let text = texts.get(bytes)
  if (text === undefined) {
    text = Buffer.alloc(bytes, 'The quick brown fox jumps over the lazy dog. ').toString()
    texts.set(bytes, text)
  }
  return text
}

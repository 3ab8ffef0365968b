/** The text of bytes that came in pieces: a character may begin in one and end in the next. */
export function decodePieces(pieces: readonly Uint8Array[], decoder: TextDecoder): string {
  let text = ''
  for (const piece of pieces) text += decoder.decode(piece, { stream: true })
  return text + decoder.decode()
}

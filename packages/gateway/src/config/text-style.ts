/** How a file is written, so that what is added looks like what is there. */
export interface TextStyle {
  readonly indent: string
  readonly eol: string
}

export function styleOf(text: string): TextStyle {
  const indented = /^([ \t]+)[^\s#*/]/m.exec(text)
  return { indent: indented?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

export function indentAt(text: string, offset: number): string {
  const line = text.slice(lineStart(text, offset))
  return /^[ \t]*/.exec(line)![0]
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end < 0) return text.length
  return text[end - 1] === '\r' && end > offset ? end - 1 : end
}

export function splice(text: string, start: number, end: number, insert: string): string {
  return text.slice(0, start) + insert + text.slice(end)
}

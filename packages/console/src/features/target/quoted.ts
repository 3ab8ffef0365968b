/** A word of a filter. */
export function quoted(text: string): string {
  return /\s/.test(text) ? `"${text}"` : text
}

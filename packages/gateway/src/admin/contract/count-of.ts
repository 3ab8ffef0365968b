/** `1 tool`, `2 tools`. */
export function countOf(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}

/** Of a longer word the last thousand characters go. */
const LAST_WORD = /[^\s"'`=&,;:<>(){}[\]]{1,1000}$/

/** Cuts a long text after a whole word: half of a secret would not be recognised as one. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  const word = LAST_WORD.exec(cut.slice(-1000))
  return `${word ? cut.slice(0, most - word[0].length) : cut}…`
}

/** Of a longer word the last thousand characters go. */
const LAST_WORD = /[^\s"'`=&,;:<>(){}[\]]{1,1000}$/

/**
 * The beginning of a long text up to a whole word, and an ellipsis: half of a secret would not be recognised as one.
 * A secret of several words that is cut is recognised by the ellipsis behind its beginning.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  const word = LAST_WORD.exec(cut.slice(-1000))
  return `${word ? cut.slice(0, most - word[0].length) : cut}…`
}

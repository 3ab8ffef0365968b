/** A sign that stands for another one, or may. */
export const SPELLED: RegExp = /[^\t\n\r\u0020-\u007E]|[%\\&]/

/** Which characters a class has, by their codes. */
type CharacterClass = Uint8Array

const classOf = (pattern: RegExp): CharacterClass =>
  Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0))

export const WORD: CharacterClass = classOf(/[\w-]/)
export const WIDE: CharacterClass = classOf(/[\w+/=-]/)
const ROW = classOf(/[\d ()./+-]/)
const DIGIT = classOf(/\d/)

function isIn(text: string, at: number, characters: CharacterClass): boolean {
  const code = text.charCodeAt(at)
  return code < 128 && characters[code] === 1
}

/** Whether so many characters of a class stand in a row. Most texts have no long words, and so it looks at few characters. */
export function hasRun(text: string, length: number, characters: CharacterClass): boolean {
  return findRun(text, 0, length, characters) >= 0
}

/** One character in so many is in the run, wherever that is: it is enough to look back from there. */
function findRun(text: string, from: number, length: number, characters: CharacterClass): number {
  let start = from
  while (start + length <= text.length) {
    let at = start + length - 1
    while (at >= start && isIn(text, at, characters)) at--
    if (at < start) return start
    start = at + 1
  }
  return -1
}

/** Whether so many digits, and what stands between them in printed numbers, stand in a row. It begins with a digit. */
export function hasNumber(text: string, length: number): boolean {
  for (let at = findRun(text, 0, length, ROW); at >= 0; at = findRun(text, at, length, ROW)) {
    while (isIn(text, at, ROW) && !isIn(text, at, DIGIT)) at++
    const first = at
    while (isIn(text, at, ROW)) at++
    if (at - first >= length) return true
  }
  return false
}

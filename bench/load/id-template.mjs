import { FIRST_ID } from './messages.mjs'

const DIGITS = 10

/**
 * Bytes that contain one id, of which copies with the next ids can be made for the price of a copy and ten
 * digits.
 */
export function createTemplate(text) {
  const bytes = Buffer.from(text)
  const at = bytes.indexOf(`"id":${FIRST_ID}`) + '"id":'.length
  const size = bytes.length
  let next = FIRST_ID

  /** `count` copies in one buffer, each with an id of its own. */
  function copies(count) {
    const out = Buffer.allocUnsafe(size * count)
    for (let i = 0; i < count; i++) {
      bytes.copy(out, i * size)
      let rest = next++
      for (let digit = i * size + at + DIGITS - 1; digit >= i * size + at; digit--) {
        out[digit] = 48 + (rest % 10)
        rest = Math.floor(rest / 10)
      }
    }
    return out
  }

  return { copies }
}

/** Characters that could forge lines, drive a terminal, or change the order or the look of a text. */
const CONTROLS =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g
const SHORT: Record<string, string> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` }

/** Writes control characters as JSON does. A text that is JSON already stays valid and means the same. */
export function escapeControls(text: string): string {
  return text.replace(
    CONTROLS,
    (sign) => SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Removes control characters, and the escape sequences of colours. Line breaks and tabs stay. */
export function removeControls(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '')
    .replace(CONTROLS, (sign) => (sign === '\n' || sign === '\t' ? sign : ''))
}

/**
 * Control characters, and those that change the direction of text or end a line: they could forge lines of a log
 * or drive the terminal that shows it.
 */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const SHORT: Record<string, string> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` }

/** Writes control characters as JSON does. A text that is JSON already stays valid and means the same. */
export function escapeControls(text: string): string {
  return text.replace(
    CONTROLS,
    (sign) => SHORT[sign] ?? `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

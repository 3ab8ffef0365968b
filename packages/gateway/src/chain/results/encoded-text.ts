import { isUtf8 } from 'node:buffer'

/** Whether a text may stand in JSON encoded: in a blob, an address or a drawing. False where JSON has no escapes in it. */
export function mayHoldEncoded(json: string): boolean {
  return json.includes('blob') || json.includes(DATA_MARK) || (json.includes('mimeType') && SVG.test(json))
}

export const SVG: RegExp = /svg/i
const DATA_MARK = ';base64,'

const DATA_URI = /(;base64,)([\w+/-]{8,}={0,2})/gi
/** Of these, texts have only tabs, ends of lines and the escapes of terminals. */
const CONTROL = /[\0-\x08\x0E-\x1A\x1C-\x1F]/
const UTF_16 = '\uFEFF'

/** Makes a clean text of a text. Returns the same text when there is nothing to take out. */
type Clean = (text: string) => string

/** Characters that are enough to tell most bytes from text. */
const FIRST = 1024
/** Lines may be broken. */
const NO_BASE64 = /[^\w+/=\s-]/

/**
 * Base64 of bytes that are text, cleaned; the same when there is nothing to take out, or they are no text. What is no
 * base64 is text itself.
 */
export function cleanBase64(data: string, clean: Clean): string {
  if (NO_BASE64.test(data)) return clean(data)
  if (data.length > FIRST && !encodingOf(Buffer.from(data.slice(0, FIRST), 'base64'))) return data
  const bytes = Buffer.from(data, 'base64')
  const encoding = encodingOf(bytes)
  if (!encoding) return data
  const text = bytes.toString(encoding)
  const shown = clean(text)
  return shown === text ? data : Buffer.from(shown, encoding).toString('base64')
}

/** A text whose `data:` URIs are cleaned. */
export function cleanDataUris(text: string, clean: Clean): string {
  if (!text.includes(DATA_MARK)) return text
  return text.replaceAll(DATA_URI, (_, mark: string, data: string) => mark + cleanBase64(data, clean))
}

/** How bytes are read as text: old files are in Latin-1, and some of Windows in UTF-16. Undefined: they are no text. */
export function encodingOf(bytes: Buffer): 'utf8' | 'latin1' | 'utf16le' | undefined {
  if (isUtf16(bytes)) return 'utf16le'
  if (CONTROL.test(bytes.toString('latin1'))) return undefined
  return isUtf8(bytes) ? 'utf8' : 'latin1'
}

/** With the mark in front, or with ASCII only. */
function isUtf16(bytes: Buffer): boolean {
  if (bytes.length % 2 !== 0 || bytes.length === 0) return false
  if (bytes.toString('utf16le', 0, 2) === UTF_16) return true
  for (let at = 1; at < bytes.length; at += 2) if (bytes[at] !== 0) return false
  return true
}

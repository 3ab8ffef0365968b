import { decodePercent } from '../../../model/index.ts'
import { CallError } from './call-error.ts'

export interface FileValue {
  readonly bytes: Buffer<ArrayBuffer>
  readonly mediaType: string | undefined
  readonly name: string | undefined
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** A file argument: Base64 (also the URL-safe alphabet, also with line breaks), or a `data:` URI (RFC 2397). */
export function decodeFile(value: unknown, what: string): FileValue {
  if (typeof value !== 'string') throw new CallError(`${what} must be text: Base64 or a data: URI.`)
  const data = /^data:([^,]*),(.*)$/s.exec(value)
  if (!data) return { bytes: decodeBase64(value, what), mediaType: undefined, name: undefined }
  const [mediaType = '', ...parameters] = data[1]!.split(';').map((part) => part.trim())
  const isBase64 = parameters.at(-1)?.toLowerCase() === 'base64'
  const name = parameters.find((parameter) => /^(file)?name=/i.test(parameter))
  return {
    bytes: isBase64 ? decodeBase64(decodePercent(data[2]!), what) : Buffer.from(decodePercent(data[2]!)),
    mediaType: mediaType === '' ? undefined : mediaType,
    name: name === undefined ? undefined : decodePercent(name.slice(name.indexOf('=') + 1)),
  }
}

function decodeBase64(text: string, what: string): Buffer<ArrayBuffer> {
  const compact = text.replace(/\s+/g, '')
  if (!BASE64.test(compact)) throw new CallError(`${what} is not valid Base64; send Base64 or a data: URI.`)
  return Buffer.from(compact, 'base64')
}

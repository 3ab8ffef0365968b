import { randomBytes } from 'node:crypto'
import { writeJson } from '@gantry/mcp/exchange'
import type { RequestBody } from '../operations/operation.ts'
import { isObject } from '../own.ts'
import { decodeFile, type FileValue } from './decode-file.ts'
import { serializePairs, toText } from './serialize-value.ts'

// By hand, because FormData gives a file name to every part that has a media type, and servers take a part
// with a file name for an upload, even when it is the JSON beside the upload.

interface Part {
  readonly name: string
  readonly bytes: Buffer<ArrayBuffer>
  readonly mediaType?: string | undefined
  readonly filename?: string | undefined
}

export function buildMultipart(
  fields: Readonly<Record<string, unknown>>,
  body: RequestBody,
  files: ReadonlySet<string>,
): { bytes: Buffer<ArrayBuffer>; mediaType: string } {
  const parts: Part[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    parts.push(...partsOf(name, value, body, files.has(name)))
  }
  const boundary = `gantry-${randomBytes(18).toString('hex')}`
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headersOf(part)}\r\n\r\n`),
    part.bytes,
    Buffer.from('\r\n'),
  ])
  const bytes = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  const subtype = body.mediaType.split(';', 1)[0]!.trim()
  return {
    bytes,
    mediaType: `${subtype.includes('*') ? 'multipart/form-data' : subtype}; boundary=${boundary}`,
  }
}

/** Lists become one part per item; a list of files several files (OpenAPI 3.1.1, "Encoding multipart"). */
function partsOf(name: string, value: unknown, body: RequestBody, isFile: boolean): Part[] {
  const encoding = body.encodings.get(name)
  if (encoding?.style !== undefined) {
    return serializePairs(name, value, { ...encoding, mediaType: undefined }).map(fromPair)
  }
  if (Array.isArray(value)) return value.flatMap((item) => partsOf(name, item, body, isFile))
  const mediaType = encoding?.mediaType?.includes('*') ? undefined : encoding?.mediaType
  if (isFile || isDataUri(value)) return [filePart(name, decodeFile(value, name), mediaType)]
  if (isObject(value)) {
    return [{ name, bytes: Buffer.from(writeJson(value)), mediaType: mediaType ?? 'application/json' }]
  }
  return [{ name, bytes: Buffer.from(toText(value)), mediaType }]
}

function filePart(name: string, file: FileValue, mediaType: string | undefined): Part {
  return {
    name,
    bytes: file.bytes,
    mediaType: file.mediaType ?? mediaType ?? 'application/octet-stream',
    filename: file.name ?? name,
  }
}

function fromPair(pair: string): Part {
  const [name, value] = pair.split('=', 2).map((side) => decodeURIComponent(side))
  return { name: name!, bytes: Buffer.from(value ?? '') }
}

function isDataUri(value: unknown): boolean {
  return typeof value === 'string' && /^data:[\w.+-]+\/[\w.+-]+(;[^,;]+)*;base64,/.test(value)
}

function headersOf(part: Part): string {
  const filename = part.filename === undefined ? '' : `; filename="${quote(part.filename)}"`
  const lines = [`Content-Disposition: form-data; name="${quote(part.name)}"${filename}`]
  if (part.mediaType !== undefined) lines.push(`Content-Type: ${part.mediaType.replace(/[^\x20-\x7e]/g, '')}`)
  return lines.join('\r\n')
}

/** As browsers do (HTML, "multipart/form-data encoding algorithm"): a name cannot add header lines. */
function quote(text: string): string {
  return text.replace(/\r\n|\r|\n/g, '%0D%0A').replaceAll('"', '%22')
}

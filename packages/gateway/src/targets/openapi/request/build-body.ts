import { writeJson } from '@gantry/mcp/exchange'
import type { RequestBody } from '../operations/operation.ts'
import { isObject } from '../own.ts'
import { buildMultipart } from './build-multipart.ts'
import { CallError } from './call-error.ts'
import { decodeFile } from './decode-file.ts'
import { serializePairs, toText } from './serialize-value.ts'

export interface BuiltBody {
  readonly content: string | Buffer<ArrayBuffer>
  readonly mediaType: string
}

export function buildBody(value: unknown, body: RequestBody, files: ReadonlySet<string>): BuiltBody {
  const { mediaType } = body
  switch (body.kind) {
    case 'json':
      return { content: writeJson(value), mediaType }
    case 'form':
      return { content: formText(fieldsOf(value), body), mediaType }
    case 'multipart': {
      const multipart = buildMultipart(fieldsOf(value), body, files)
      return { content: multipart.bytes, mediaType: multipart.mediaType }
    }
    case 'text':
      return { content: toText(value), mediaType }
    case 'binary': {
      const file = decodeFile(value, 'The body')
      return {
        content: file.bytes,
        mediaType: concrete(mediaType) ?? file.mediaType ?? 'application/octet-stream',
      }
    }
  }
}

function formText(fields: Record<string, unknown>, body: RequestBody): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    const encoding = body.encodings.get(name) ?? (isObject(value) ? { mediaType: 'application/json' } : {})
    pairs.push(...serializePairs(name, value, encoding))
  }
  return pairs.join('&')
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value
  throw new CallError('The body must be an object: this operation takes a form.')
}

/** `image/*` is what the API takes, not what can be sent. */
function concrete(mediaType: string): string | undefined {
  return mediaType.includes('*') ? undefined : mediaType
}

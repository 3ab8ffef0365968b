import type { DocumentSet, Located } from '../document/document-set.ts'
import { isJsonObject } from '@gantry/mcp/exchange'
import { own, ownEntries, ownString } from '../own.ts'
import type { BodyKind, Encoding, ParameterStyle, RequestBody } from './operation.ts'

/** Chooses the media type to send: the type that a model writes best. */
const PREFERENCE: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'binary']

export function bodyKind(mediaType: string): BodyKind {
  const type = mediaType.split(';', 1)[0]!.trim().toLowerCase()
  if (isJson(type) || type === '*/*' || type === 'application/*') return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  if (type.startsWith('multipart/')) return 'multipart'
  if (type.startsWith('text/') || /[/+](xml|yaml|x-yaml|x-ndjson|graphql|javascript)$/.test(type))
    return 'text'
  return 'binary'
}

export function isJson(mediaType: string): boolean {
  return /^[\w.-]+\/([\w.+-]+\+)?json$/i.test(mediaType.split(';', 1)[0]!.trim())
}

export function readBody(operation: Located, documents: DocumentSet): RequestBody | undefined {
  const value = own(operation.value, 'requestBody')
  const body = isJsonObject(value) ? documents.follow({ value, base: operation.base }) : undefined
  const contents = ownEntries(own(body?.value, 'content'))
  if (body === undefined || contents.length === 0) return undefined
  const [mediaType, media] = prefer(contents)
  return {
    kind: bodyKind(mediaType),
    mediaType: bodyKind(mediaType) === 'json' && mediaType.includes('*') ? 'application/json' : mediaType,
    required: own(body.value, 'required') === true,
    description: ownString(body.value, 'description'),
    schema: own(media, 'schema') === undefined ? undefined : { value: own(media, 'schema'), base: body.base },
    encodings: readEncodings(own(media, 'encoding')),
  }
}

function prefer(contents: [string, unknown][]): [string, unknown] {
  for (const kind of PREFERENCE) {
    const found = contents.find(([mediaType]) => bodyKind(mediaType) === kind)
    if (found) return found
  }
  return contents[0]!
}

const FORM_STYLES: readonly unknown[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']

/** OpenAPI 3.1.1, "Encoding Object": style keywords select writing by style, else by media type. */
function readEncodings(value: unknown): Map<string, Partial<Encoding>> {
  const encodings = new Map<string, Partial<Encoding>>()
  for (const [name, encoding] of ownEntries(value)) {
    const style = own(encoding, 'style')
    const explode = own(encoding, 'explode')
    const mediaType = ownString(encoding, 'contentType')?.split(',', 1)[0]?.trim()
    const byStyle =
      style !== undefined || explode !== undefined || own(encoding, 'allowReserved') !== undefined
    if (!byStyle) encodings.set(name, { mediaType })
    else {
      const known = FORM_STYLES.includes(style) ? (style as ParameterStyle) : 'form'
      encodings.set(name, {
        style: known,
        explode: typeof explode === 'boolean' ? explode : known === 'form',
        allowReserved: own(encoding, 'allowReserved') === true,
        mediaType,
      })
    }
  }
  return encodings
}

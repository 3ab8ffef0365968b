import type { DocumentSet, Located } from '../document/document-set.ts'
import type { RequestBody } from '../operations/operation.ts'
import { bodyKind } from '../operations/read-body.ts'
import { own } from '../own.ts'
import { readObjectShape } from '../schema/object-shape.ts'
import type { PlanContext } from './plan-context.ts'

export interface BodyField {
  readonly name: string
  readonly schema: Located
  readonly required: boolean
}

/** The properties of a body that may become arguments of their own; none when it has to stay whole. */
export function flattenBody(
  body: RequestBody,
  context: PlanContext,
): { fields: BodyField[]; files: Set<string> } {
  const files = new Set<string>()
  const { documents, input } = context
  const isObjectKind = body.kind === 'json' || body.kind === 'form' || body.kind === 'multipart'
  const shape = body.schema && isObjectKind ? readObjectShape(documents, body.schema) : undefined
  if (shape === undefined) return { fields: [], files }
  const shown = [...shape.properties].filter(([, schema]) => !input.isHidden(schema))
  const fields = shown.map(([name, schema]) => ({ name, schema, required: shape.required.has(name) }))
  if (body.kind === 'multipart') {
    for (const { name, schema } of fields) {
      if (isFile(documents, schema, body.encodings.get(name)?.mediaType)) files.add(name)
    }
  }
  return { fields, files }
}

/** A file, or a list of files: `format: binary`, `type: file`, or 3.1's `contentMediaType` and no encoding. */
function isFile(documents: DocumentSet, schema: Located, mediaType: string | undefined): boolean {
  const at = documents.follow(schema)
  if (at === undefined) return false
  const items = own(at.value, 'items')
  if (items !== undefined) return isFile(documents, { value: items, base: at.base }, mediaType)
  if (own(at.value, 'format') === 'binary' || own(at.value, 'type') === 'file') return true
  const type = own(at.value, 'type')
  if ((type !== undefined && type !== 'string') || own(at.value, 'contentEncoding') !== undefined)
    return false
  const content = own(at.value, 'contentMediaType') ?? mediaType
  return typeof content === 'string' && bodyKind(content) === 'binary'
}

import { McpError } from '../jsonrpc/index.ts'

/** The error for a schema that cannot be used; `pointer` is the place in the document, as a JSON pointer. */
export function schemaError(pointer: string, problem: string, cause?: unknown): McpError {
  const place = pointer === '' ? '' : ` at ${pointer}`
  return new McpError('invalid_definition', `Invalid schema${place}: ${problem}`, {
    cause,
    details: { pointer },
  })
}

/** Appends a segment to a JSON pointer (RFC 6901). */
export function pointerTo(pointer: string, segment: string | number): string {
  return `${pointer}/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { tokensOf } from './tokens.ts'

/** Keeps a text for the caller, or bytes of a type, and returns its URI; undefined when it cannot be kept. */
export type Keep = (text: string, bytesOf?: string) => Promise<string | undefined>

/** The bytes of an embedded resource, in base64; undefined when it contains no bytes. */
export function blobIn(item: unknown): string | undefined {
  const { blob } = isJsonObject(item) && isJsonObject(item.resource) ? item.resource : ({} as JsonObject)
  return typeof blob === 'string' ? blob : undefined
}

/** Embedded files that are longer than allowed become links: half of a file is of no use. The same list without any. */
export async function linkBlobs(
  content: readonly unknown[],
  most: number,
  keep: Keep,
): Promise<readonly unknown[]> {
  const isLong = (item: unknown): boolean => tokensOf(blobIn(item) ?? '') > most
  if (!content.some(isLong)) return content
  const shown: unknown[] = []
  for (const item of content) {
    shown.push(isLong(item) ? await linked(item as JsonObject, blobIn(item)!, keep) : item)
  }
  return shown
}

async function linked(item: JsonObject, blob: string, keep: Keep): Promise<JsonObject> {
  const { mimeType, uri: name } = item.resource as JsonObject
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  const size = Math.floor((blob.length * 3) / 4)
  const uri = await keep(blob, type)
  if (uri === undefined) {
    return { type: 'text', text: `[… a file of ${size} bytes left out; it is not kept: ask for less …]` }
  }
  const description = `A file of the result, for an hour. It was called ${String(name)}.`
  return { type: 'resource_link', uri, name: 'A file of the result', mimeType: type, size, description }
}

import type { CatalogEntryDetail, JsonObject } from '../../api/contract.ts'
import { ask } from '../playground/call/start-call.ts'
import { isJsonObject } from '../../api/json.ts'

const MIME_TYPE = 'text/html;profile=mcp-app'

/** The view of a tool; the gateway puts the name of the target in front of the scheme. */
export function appUriOf({ definition }: CatalogEntryDetail): string | undefined {
  const meta = asObject(definition._meta)
  const uri = asObject(meta.ui).resourceUri ?? meta['ui/resourceUri']
  return typeof uri === 'string' && /^([^/?#]+\+)?ui:\/\//.test(uri) ? uri : undefined
}

/** Whether the content of a resource is a view. */
export function isApp({ mimeType, text }: JsonObject): boolean {
  return (
    typeof mimeType === 'string' && mimeType.replaceAll(' ', '') === MIME_TYPE && typeof text === 'string'
  )
}

export interface AppDocument {
  readonly html: string
  readonly csp: JsonObject | undefined
}

/** The document of a content, with what its server declares for it. */
export function documentOf({ text, _meta }: JsonObject): AppDocument {
  const { csp } = asObject(asObject(_meta).ui)
  return { html: String(text), csp: isJsonObject(csp) ? csp : undefined }
}

export async function readApp(uri: string): Promise<AppDocument> {
  const result = await ask({ method: 'resources/read', params: { uri } }, new AbortController().signal)
  const contents = Array.isArray(result?.contents) ? result.contents : []
  const found = contents.find((one): one is JsonObject => isJsonObject(one) && isApp(one))
  if (!found) throw new Error(`${uri} is not a view of the type ${MIME_TYPE}`)
  return documentOf(found)
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

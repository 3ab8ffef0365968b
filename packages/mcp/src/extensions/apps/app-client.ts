import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import type { ClientCapabilities, Tool } from '../../protocol/index.ts'
import type { Client, RequestOptions } from '../../client/index.ts'
import {
  APP_MIME_TYPE,
  APP_SCHEME,
  APPS_EXTENSION,
  type AppLink,
  type AppView,
  type AppVisibility,
} from './app-types.ts'

/**
 * Declares that this client shows views.
 *
 * @example
 * ```ts
 * const client = new Client({ connector, capabilities: appCapabilities() })
 * ```
 */
export function appCapabilities(mimeTypes: readonly string[] = [APP_MIME_TYPE]): ClientCapabilities {
  return { extensions: { [APPS_EXTENSION]: { mimeTypes: [...mimeTypes] } } }
}

/** How a tool is joined to a view; undefined when it is not. Takes the older, flat form as well. */
export function appLinkOf(tool: Tool): AppLink | undefined {
  const meta = isJsonObject(tool._meta) ? tool._meta : {}
  const ui = isJsonObject(meta.ui) ? meta.ui : {}
  const uri = ui.resourceUri ?? meta['ui/resourceUri']
  const visibility = readVisibility(ui.visibility)
  const link: AppLink = {
    ...(typeof uri === 'string' && uri.startsWith(APP_SCHEME) && { resourceUri: uri }),
    ...(visibility && { visibility }),
  }
  return Object.keys(link).length > 0 ? link : undefined
}

/** Tools that are for the view alone must not be shown to the model (SEP-1865, Visibility). */
export function isForModel(tool: Tool): boolean {
  return appLinkOf(tool)?.visibility?.includes('model') ?? true
}

/** Calls by a view of tools that are not for it must be refused. */
export function isForApp(tool: Tool): boolean {
  return appLinkOf(tool)?.visibility?.includes('app') ?? true
}

export interface LoadedApp extends AppView {
  uri: string
  html: string
}

/** Reads the view of a tool, or the one at a URI. Show it in a sandbox, with `contentSecurityPolicy`. */
export async function readApp(
  client: Pick<Client, 'readResource'>,
  source: Tool | string,
  options: RequestOptions = {},
): Promise<LoadedApp> {
  const uri = typeof source === 'string' ? source : appLinkOf(source)?.resourceUri
  if (!uri?.startsWith(APP_SCHEME)) {
    throw new McpError('unsupported', `There is no view: ${uri ?? 'the tool has none'}`)
  }
  const { contents } = await client.readResource(uri, options)
  const content: unknown = Array.isArray(contents) ? contents.find((found) => found?.uri === uri) : undefined
  if (!isJsonObject(content) || content.mimeType !== APP_MIME_TYPE) {
    throw new McpError('bad_response', `${uri} is not a view of the type ${APP_MIME_TYPE}`)
  }
  const meta = isJsonObject(content._meta) ? content._meta : {}
  return { ...(isJsonObject(meta.ui) ? (meta.ui as AppView) : {}), uri, html: htmlOf(content, uri) }
}

function htmlOf({ text, blob }: { text?: unknown; blob?: unknown }, uri: string): string {
  if (typeof text === 'string') return text
  try {
    const bytes = Uint8Array.from(atob(String(blob)), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new McpError('bad_response', `${uri} has no document`, { cause })
  }
}

function readVisibility(value: unknown): AppVisibility[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((who): who is AppVisibility => who === 'model' || who === 'app')
}

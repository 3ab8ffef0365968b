import { parseDuration } from '../../protocol/parse-duration.ts'
import type { Exchange, Outcome } from '../../exchange/index.ts'
import { complete } from '../../exchange/exchange.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import type { ReadResourceResult, ResourceContents } from '../../protocol/index.ts'
import { isByteSource } from '../../protocol/late-bytes.ts'
import type { Context } from '../questions/context.ts'
import { type SentContents, toContents } from '../definitions/content.ts'
import type { ResourceFacts } from '../definitions/definitions.ts'
import type { Registry } from '../registry/registry.ts'
import type { CompiledResource, CompiledTemplate } from '../registry/resource-registry.ts'
import { Suspended } from '../questions/input-required.ts'
import { requireContents } from './require-content.ts'
import { requireJson } from './require-json.ts'
import { runHandler, type RunOptions } from './run-handler.ts'
import type { ServerOptions } from '../definitions/server-options.ts'
import { UnknownName } from '../registry/tool-registry.ts'
import { toUri } from '../definitions/uri-template.ts'
import { isVisible, scopesToSee, type Visibility } from '../definitions/visibility.ts'

export interface ReadHost {
  readonly resources: Registry<CompiledResource>
  readonly templates: Registry<CompiledTemplate>
  readonly fallback: ServerOptions['resourcesReadHandler']
  readonly run: RunOptions
}

interface Source {
  readonly uri: string
  readonly facts: ResourceFacts
  read(context: Context): unknown
}

export async function readResource(exchange: Exchange, host: ReadHost): Promise<Outcome> {
  const { uri } = exchange.params
  if (typeof uri !== 'string')
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "uri" must be a string')
  const source = findSource(uri, exchange, host)
  if (!source) throw notFound(uri, exchange, hiddenSource(uri, host))
  const reply = await runHandler<unknown>(exchange, host.run, (context) => source.read(context))
  if (reply instanceof Suspended) return reply
  if (reply === undefined || reply === null) throw notFound(uri, exchange)
  const { ttl, cacheScope } = source.facts
  const result: JsonObject = { ...toReadResult(reply, source.uri, source.facts.mimeType) }
  requireJson(result, host.run.exact)
  requireContents(result.contents as unknown[])
  if (ttl !== undefined) result.ttlMs ??= parseDuration(ttl)
  if (cacheScope !== undefined) result.cacheScope ??= cacheScope
  return complete(result)
}

function findSource(uri: string, exchange: Exchange, host: ReadHost): Source | undefined {
  const found = host.resources.get(uri)
  if (found) {
    if (!isVisible(found.definition, exchange)) return undefined
    return {
      uri,
      facts: found.definition,
      read: (context) => readStatic(found) ?? found.definition.read!(uri, context),
    }
  }
  const meant = toUri(uri)
  const made = meant === undefined ? undefined : fromTemplate(meant, exchange, host)
  const { fallback } = host
  if (made || !fallback) return made
  const params = exchange.params as JsonObject & { uri: string }
  return { uri: meant ?? uri, facts: {}, read: (context) => fallback(params, context) }
}

function fromTemplate(uri: string, exchange: Exchange, host: ReadHost): Source | undefined {
  for (const { value } of host.templates.list()) {
    const variables = isVisible(value.definition, exchange) ? value.template.match(uri) : undefined
    if (!variables) continue
    const withUri = (context: Context): Context & { uri: string } => Object.assign(context, { uri })
    return {
      uri,
      facts: value.definition,
      read: (context) => value.definition.read(variables, withUri(context)),
    }
  }
  return undefined
}

function readStatic({ definition, blob, uri }: CompiledResource): ResourceContents | undefined {
  const typed = definition.mimeType === undefined ? { uri } : { uri, mimeType: definition.mimeType }
  if (definition.text !== undefined) return toContents({ ...typed, text: definition.text })
  return blob === undefined ? undefined : toContents({ ...typed, blob })
}

function toReadResult(reply: unknown, uri: string, mimeType: string | undefined): ReadResourceResult {
  const typed = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof reply === 'string') return { contents: [{ ...typed, text: reply }] }
  if (reply instanceof Uint8Array || isByteSource(reply)) {
    return { contents: [toContents({ ...typed, blob: reply })] }
  }
  if (Array.isArray(reply)) return { contents: reply.map(toContents) }
  if (isJsonObject(reply) && Array.isArray(reply.contents)) {
    return { ...reply, contents: reply.contents.map(toContents) }
  }
  if (isJsonObject(reply)) return { contents: [toContents({ ...typed, ...reply } as SentContents)] }
  throw new TypeError(`Reading "${uri}" returned neither text, bytes nor contents`)
}

/** The definition of the resource or template that a URI names, when the caller may not see it. */
function hiddenSource(uri: string, host: ReadHost): Visibility | undefined {
  const found = host.resources.get(uri)
  if (found) return found.definition
  const meant = toUri(uri)
  if (meant === undefined) return undefined
  return host.templates.list().find(({ value }) => value.template.match(meant))?.value.definition
}

function notFound(uri: string, exchange: Exchange, hidden?: Visibility): ProtocolError {
  return new UnknownName('resource', uri, { data: { uri }, requiredScopes: scopesToSee(hidden, exchange) })
}

import type { JsonObject } from '../../jsonrpc/index.ts'
import type { ServerCapabilities, SubscriptionFilter } from '../../protocol/index.ts'

export interface Registered {
  tools: number
  prompts: number
  resources: number
  completions: boolean
  extensions: JsonObject
}

/** Derives the capabilities from the registries, and adds those that the author declares. */
export function deriveCapabilities(found: Registered, declared: ServerCapabilities = {}): ServerCapabilities {
  const capabilities: ServerCapabilities = { logging: {} }
  if (found.completions) capabilities.completions = {}
  if (found.prompts > 0) capabilities.prompts = { listChanged: true }
  if (found.resources > 0) capabilities.resources = { subscribe: true, listChanged: true }
  if (found.tools > 0) capabilities.tools = { listChanged: true }
  const merged = { ...capabilities, ...declared }
  const extensions = { ...found.extensions, ...declared.extensions }
  if (Object.keys(extensions).length > 0) merged.extensions = extensions as Record<string, JsonObject>
  return merged
}

/** The part of a listen request that this server honours (2026-07-28, Subscriptions). */
export function grantFilter(asked: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const granted: SubscriptionFilter = {}
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    if (asked[`${kind}ListChanged`] === true && capabilities[kind]?.listChanged) {
      granted[`${kind}ListChanged`] = true
    }
  }
  const uris = asked.resourceSubscriptions
  if (Array.isArray(uris) && capabilities.resources?.subscribe) {
    granted.resourceSubscriptions = uris.filter((uri) => typeof uri === 'string')
  }
  return granted
}

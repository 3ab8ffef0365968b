import type { ClientFacts } from '../exchange/index.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'
import { type ClientCapabilities, type Implementation, LATEST_MODERN } from '../protocol/index.ts'
import type { ClientOptions } from './client-options.ts'

const DEFAULT_NAME = 'gantry-mcp-client'
const DEFAULT_VERSION = '0.1.0'

export function implementationOf(options: ClientOptions): Implementation {
  const { name = DEFAULT_NAME, version = DEFAULT_VERSION, title, description, websiteUrl, icons } = options
  return {
    name,
    version,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(icons !== undefined && { icons }),
  }
}

/** Joins the capabilities of the handlers and of the author. Objects of the same name are merged. */
export function mergeCapabilities(
  derived: ClientCapabilities,
  added: ClientCapabilities = {},
): ClientCapabilities {
  const merged: JsonObject = { ...derived }
  for (const [name, value] of Object.entries(added)) {
    const present = merged[name]
    merged[name] = isJsonObject(present) && isJsonObject(value) ? { ...present, ...value } : value
  }
  return merged
}

/** Legacy revisions have `listChanged` for roots; the modern revision has no such notification. */
export function legacyCapabilities(capabilities: ClientCapabilities): ClientCapabilities {
  return capabilities.roots
    ? { ...capabilities, roots: { listChanged: true, ...capabilities.roots } }
    : capabilities
}

export function factsOf(info: Implementation, capabilities: ClientCapabilities): ClientFacts {
  return { info, capabilities, version: LATEST_MODERN }
}

import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'

/** URIs as clients see them, with whose they are before the scheme: `files+file:///notes.txt`. */
export class PrefixedUris {
  readonly prefix: string

  /** `prefix` is the beginning of a scheme, in small letters; empty leaves URIs as they are. */
  constructor(prefix: string) {
    this.prefix = prefix === '' ? '' : `${prefix}+`
  }

  toPublic(uri: string): string {
    return this.prefix + uri
  }

  toOwn(uri: string): string {
    return this.owns(uri) ? uri.slice(this.prefix.length) : uri
  }

  owns(uri: string): boolean {
    const { prefix } = this
    // The prefix is part of the scheme, which ignores case (RFC 3986, section 3.1).
    return prefix !== '' && uri.slice(0, prefix.length).toLowerCase() === prefix
  }

  /** Rewrites a content block that names a resource; others are returned as they are. */
  content(block: unknown): unknown {
    if (!isJsonObject(block) || this.prefix === '') return block
    if (block.type === 'resource_link') return this.#withUri(block)
    if (block.type === 'resource' && isJsonObject(block.resource)) {
      return { ...block, resource: this.#withUri(block.resource) }
    }
    return block
  }

  /** The result of a call, prompt or read, with every URI in it made public. */
  result(method: string, result: JsonObject): JsonObject {
    if (this.prefix === '') return result
    switch (method) {
      case 'tools/call':
        return Array.isArray(result.content)
          ? { ...result, content: result.content.map((block) => this.content(block)) }
          : result
      case 'prompts/get':
        return Array.isArray(result.messages)
          ? { ...result, messages: result.messages.map((message) => this.#message(message)) }
          : result
      case 'resources/read':
        return Array.isArray(result.contents)
          ? { ...result, contents: result.contents.map((item) => this.#item(item)) }
          : result
      case 'resources/directory/read':
        return Array.isArray(result.resources)
          ? { ...result, resources: result.resources.map((item) => this.#item(item)) }
          : result
      case 'skills/get':
        return isJsonObject(result.skill) ? { ...result, skill: this.skill(result.skill) } : result
      default:
        return result
    }
  }

  /** A skill names its own file and those that belong to it (SEP-2640). */
  skill(skill: JsonObject): JsonObject {
    const changed = this.#withUri(skill)
    return Array.isArray(skill.resources)
      ? { ...changed, resources: skill.resources.map((item) => this.#item(item)) }
      : changed
  }

  /** Tool definitions of MCP Apps point to their user interface. */
  toolMeta(meta: JsonObject): JsonObject {
    if (this.prefix === '') return meta
    const ui = meta.ui
    const changed = { ...meta }
    if (isJsonObject(ui) && typeof ui.resourceUri === 'string') {
      changed.ui = { ...ui, resourceUri: this.toPublic(ui.resourceUri) }
    }
    if (typeof meta['ui/resourceUri'] === 'string') {
      changed['ui/resourceUri'] = this.toPublic(meta['ui/resourceUri'])
    }
    return changed
  }

  #message(message: unknown): unknown {
    return isJsonObject(message) ? { ...message, content: this.content(message.content) } : message
  }

  #item(item: unknown): unknown {
    return isJsonObject(item) ? this.#withUri(item) : item
  }

  #withUri(item: JsonObject): JsonObject {
    return typeof item.uri === 'string' ? { ...item, uri: this.toPublic(item.uri) } : item
  }
}

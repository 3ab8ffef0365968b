import type {
  Annotations,
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  GetPromptResult,
  ImageContent,
  Meta,
  PromptMessage,
  Resource,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
} from '../../protocol/index.ts'
import { toBase64 } from '../../protocol/encoding.ts'

/** Marks what the builders made, so that a tool with an output schema may also return content. */
export const CONTENT: unique symbol = Symbol('content')

export interface ContentOptions {
  annotations?: Annotations
  _meta?: Meta
}

/** Content of a builder, which is no output of a schema. */
type Built<T> = T & { readonly [CONTENT]: true }

function mark<T extends ContentBlock>(block: T, options: ContentOptions | undefined): Built<T> {
  // JSON leaves symbol members out, so the mark never reaches the wire.
  return { ...block, ...options, [CONTENT]: true }
}

export function isBuiltContent(value: unknown): value is ContentBlock {
  return typeof value === 'object' && value !== null && CONTENT in value
}

const CONTENT_TYPES: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

export function isContentBlock(value: unknown): value is ContentBlock {
  if (typeof value !== 'object' || value === null) return false
  return CONTENT in value || CONTENT_TYPES.has((value as { type?: unknown }).type)
}

/** `text('Hello')` is `{ type: 'text', text: 'Hello' }`. */
export function text(value: string, options?: ContentOptions): Built<TextContent> {
  return mark({ type: 'text', text: value }, options)
}

export function image(
  data: Uint8Array | string,
  mimeType: string,
  options?: ContentOptions,
): Built<ImageContent> {
  return mark({ type: 'image', data: toBase64(data), mimeType }, options)
}

export function audio(
  data: Uint8Array | string,
  mimeType: string,
  options?: ContentOptions,
): Built<AudioContent> {
  return mark({ type: 'audio', data: toBase64(data), mimeType }, options)
}

export function resourceLink(resource: Resource, options?: ContentOptions): Built<ResourceLink> {
  return mark({ type: 'resource_link', ...resource }, options)
}

export function embeddedResource(
  contents: ResourceContents,
  options?: ContentOptions,
): Built<EmbeddedResource> {
  return mark({ type: 'resource', resource: contents }, options)
}

function message(role: Role, content: string | ContentBlock): PromptMessage {
  return { role, content: typeof content === 'string' ? { type: 'text', text: content } : content }
}

/** Messages of a prompt: `user('Hello')`, `assistant(image(bytes, 'image/png'))`. */
export function user(content: string | ContentBlock): PromptMessage {
  return message('user', content)
}

export function assistant(content: string | ContentBlock): PromptMessage {
  return message('assistant', content)
}

export function promptResult(messages: PromptMessage[], description?: string): GetPromptResult {
  return description === undefined ? { messages } : { description, messages }
}

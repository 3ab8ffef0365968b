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
import { type ByteSource, toSentBytes, toSentText } from '../../protocol/late-bytes.ts'

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

/** `text('Hello')` is `{ type: 'text', text: 'Hello' }`. A file or stream of UTF-8 is read while it is sent. */
export function text(value: string | ByteSource, options?: ContentOptions): Built<TextContent> {
  return mark({ type: 'text', text: toSentText(value) }, options)
}

/** Bytes, base64, or a file or stream, which is read while it is sent: `image(await file('plot.png'), 'image/png')`. */
export function image(
  data: Uint8Array | string | ByteSource,
  mimeType: string,
  options?: ContentOptions,
): Built<ImageContent> {
  return mark({ type: 'image', data: toSentBytes(data), mimeType }, options)
}

export function audio(
  data: Uint8Array | string | ByteSource,
  mimeType: string,
  options?: ContentOptions,
): Built<AudioContent> {
  return mark({ type: 'audio', data: toSentBytes(data), mimeType }, options)
}

export function resourceLink(resource: Resource, options?: ContentOptions): Built<ResourceLink> {
  return mark({ type: 'resource_link', ...resource }, options)
}

/** The contents of a resource, as an author writes them: text, bytes, base64, or a file or stream. */
export interface SentContents extends Omit<ResourceContents, 'text' | 'blob'> {
  text?: string | ByteSource
  blob?: string | Uint8Array | ByteSource
}

export function embeddedResource(contents: SentContents, options?: ContentOptions): Built<EmbeddedResource> {
  return mark({ type: 'resource', resource: toContents(contents) }, options)
}

export function toContents(contents: SentContents): ResourceContents {
  const { text, blob } = contents
  const isReady = typeof (text ?? '') === 'string' && typeof (blob ?? '') === 'string'
  if (isReady) return contents as ResourceContents
  const sent = { ...contents } as ResourceContents
  if (text !== undefined) sent.text = toSentText(text)
  if (blob !== undefined) sent.blob = toSentBytes(blob)
  return sent
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

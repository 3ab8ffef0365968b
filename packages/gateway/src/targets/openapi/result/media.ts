import { parseJson } from '@gantry/mcp/foreign'
import { isJson } from '../operations/read-body.ts'

export type Media = 'json' | 'text' | 'image' | 'audio' | 'binary'

export function mediaOf(contentType: string | null, bytes: Uint8Array): Media {
  const type = mediaTypeOf(contentType)
  if (type === '') return guess(bytes)
  if (isJson(type)) return 'json'
  if (type.startsWith('image/') && type !== 'image/svg+xml') return 'image'
  if (type.startsWith('audio/')) return 'audio'
  if (
    type.startsWith('text/') ||
    /[/+](xml|yaml|x-yaml|x-ndjson|jsonl|json-seq|javascript|graphql)$/.test(type)
  ) {
    return 'text'
  }
  return type === 'application/x-www-form-urlencoded' ? 'text' : 'binary'
}

/** Some servers leave the media type out: text when it is valid UTF-8, JSON when it parses. */
function guess(bytes: Uint8Array): Media {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (text.includes('\0')) return 'binary'
    parseJson(text)
    return 'json'
  } catch (error) {
    return error instanceof SyntaxError ? 'text' : 'binary'
  }
}

export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const charset = /charset="?([\w-]+)"?/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** `text/html; charset=utf-8` → `text/html`; empty when there is none. */
export function mediaTypeOf(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import { digestOf, type SkillResource } from './skill.ts'

export interface SkillContent {
  readonly uri: string
  readonly bytes: Uint8Array
  readonly mimeType: string | undefined
  /** The bytes as text; throws when they are not text. */
  text(): string
}

/** The content of one resource, taken from the result of `resources/read`. */
export function contentOf(result: { contents?: unknown }, uri: string): SkillContent {
  const found = Array.isArray(result.contents)
    ? result.contents.find((content) => isJsonObject(content) && content.uri === uri)
    : undefined
  if (!isJsonObject(found)) throw new McpError('bad_response', `Reading ${uri} did not give its content`)
  const { text, blob, mimeType } = found
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : fromBase64(blob, uri)
  return {
    uri,
    bytes,
    mimeType: typeof mimeType === 'string' ? mimeType : undefined,
    text: () => toText(bytes, uri),
  }
}

/** Size first: it costs nothing, and a difference is reason enough (SEP-2640, Verification on Read). */
export async function verifyFile({ uri, bytes }: SkillContent, listed: SkillResource): Promise<void> {
  if (bytes.length !== listed.size) throw unverified(uri, 'size', listed.size, bytes.length)
  const digest = await digestOf(bytes)
  if (digest !== listed.digest) throw unverified(uri, 'digest', listed.digest, digest)
}

/** The served file differs from the announced file: it was altered, or has changed since. */
export function unverified(
  uri: string,
  check: 'size' | 'digest' | 'frontmatter' | 'listing',
  expected: unknown,
  found: unknown,
): McpError {
  return new McpError(
    'bad_response',
    `${uri} is not what its skill's entry says (${check}): get the entry anew, and ask for approval again`,
    { details: { uri, check, expected, found } },
  )
}

function toText(bytes: Uint8Array, uri: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new McpError('bad_response', `${uri} is not text`, { cause })
  }
}

function fromBase64(blob: unknown, uri: string): Uint8Array {
  try {
    return Uint8Array.from(atob(String(blob)), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new McpError('bad_response', `${uri} has neither text nor a Base64 blob`, { cause })
  }
}

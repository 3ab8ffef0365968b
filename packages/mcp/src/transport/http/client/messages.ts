import {
  classifyMessage,
  McpError,
  parseMessage,
  type ParsedMessage,
  type ReadJson,
} from '../../../jsonrpc/index.ts'
import { displayUrl, headOf } from './errors.ts'

/** Hands over each message of a text: one, or several in an array (batches of 2025-03-26). */
export function forEachMessage(text: string, read: ReadJson, each: (parsed: ParsedMessage) => void): void {
  const batch = /^\s*\[/.test(text) ? parseArray(text, read) : undefined
  if (batch === undefined) each(parseMessage(text, read))
  else for (const value of batch) each(classifyMessage(value))
}

function parseArray(text: string, read: ReadJson): unknown[] | undefined {
  try {
    return read(text) as unknown[]
  } catch {
    return undefined
  }
}

export function unreadable(url: string, text: string, why: string): McpError {
  return new McpError('parse_failed', `${displayUrl(url)} sent something that is not a message: ${why}`, {
    details: { url: displayUrl(url), body: headOf(text) },
  })
}

export function mediaType(response: Response): string {
  return (response.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

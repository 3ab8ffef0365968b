import type { Failure } from '@gantry/mcp/exchange'
import { cutText } from '@gantry/mcp/foreign'

/** A server decides how long its messages are. */
const MAX_WORDS = 4000

/** A text of a server or of an error, without credentials. */
export function shortText(text: string, hide: (text: string) => string): string {
  return hide(cutText(text, MAX_WORDS))
}

/** Why an exchange failed, for operators: callers are told less. */
export function failureText({ error, cause }: Failure, hide: (text: string) => string): string {
  return shortText(cause instanceof Error ? cause.message : error.message, hide)
}

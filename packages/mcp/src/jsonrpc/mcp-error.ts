/** Why something failed on this side. These codes never cross the wire. */
export type McpErrorCode =
  | 'timeout'
  | 'stalled'
  | 'cancelled'
  | 'closed'
  | 'not_connected'
  | 'already_started'
  | 'spawn_failed'
  | 'exited'
  | 'parse_failed'
  | 'too_large'
  | 'bad_version'
  | 'bad_response'
  | 'http_status'
  | 'network'
  | 'unauthorized'
  | 'forbidden'
  | 'oauth'
  | 'session_lost'
  | 'too_many_rounds'
  | 'cursor_loop'
  | 'tool_failed'
  | 'invalid_output'
  | 'invalid_answer'
  | 'invalid_argument'
  | 'missing_capability'
  | 'declined'
  | 'invalid_definition'
  | 'invalid_config'
  | 'unsupported'

/** An error that stays local. It has a string code, a message and, where possible, advice. */
export class McpError extends Error {
  readonly code: McpErrorCode
  /** Facts that help: exit code and signal, stderr tail, HTTP status, URL, and the like. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: McpErrorCode,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'McpError'
    this.code = code
    this.details = options.details ?? {}
  }

  static from(thrown: unknown, code: McpErrorCode = 'network'): McpError {
    if (thrown instanceof McpError) return thrown
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    return new McpError(code, message, { cause: thrown })
  }
}

/** How servers say that a session is gone: 404 by specification, in practice also 400 with these texts. */
const SPELLINGS = [
  /\b(?:no valid|invalid|unknown|expired|missing|no such|no active)(?: or (?:expired|missing|unknown|invalid))? (?:mcp[- ]?)?session/i,
  /\bsession(?:[- ]?id)?\b.{0,80}?\b(?:not found|not valid|invalid|unknown|expired|terminated|not exist|n't exist)/i,
  /\b(?:no transport|no session|could not find session|cannot find session)\b/i,
  // The official server after a restart: its new transport has not seen this session's `initialize`.
  /\bserver not initialized\b/i,
]

/** The same as a JSON-RPC error that comes with HTTP 200. Tools have errors too, so only whole sentences count. */
const SENTENCE =
  /^(?:(?:bad request|not found): )?(?:session (?:id )?(?:not found|expired|terminated|has been terminated|does not exist)|(?:no valid|invalid|unknown|missing) session(?: id)?|server not initialized)\b/i
const CODES: readonly number[] = [-32000, -32001, -32600]

export function isSessionLostError({ code, message }: { code: number; message: string }): boolean {
  return CODES.includes(code) && SENTENCE.test(message)
}

/** Whether an answer to a request that carried a session id says that this session no longer exists. */
export function isSessionLost(status: number, body: string): boolean {
  // 404 with -32601 is about the method: servers of both eras answer so.
  if (status === 404 || status === 410) return !/"code"\s*:\s*-32601\b/.test(body)
  if (status !== 400) return false
  const head = body.slice(0, 4000)
  return SPELLINGS.some((spelling) => spelling.test(head))
}

/** The same of an answer that has been read into an error. */
export function isSessionRefusal({ details }: { readonly details: Record<string, unknown> }): boolean {
  const { status, body } = details
  return typeof status === 'number' && isSessionLost(status, typeof body === 'string' ? body : '')
}

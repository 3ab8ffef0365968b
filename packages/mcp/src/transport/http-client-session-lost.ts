/**
 * How servers say that a session is gone. The specification says 404 (2025-11-25, Session Management); in the
 * field the same news comes as 400 with one of these sentences, as text or in a JSON-RPC error.
 */
const SPELLINGS = [
  /\b(?:no valid|invalid|unknown|expired|missing|no such|no active)(?: or (?:expired|missing|unknown|invalid))? (?:mcp[- ]?)?session/i,
  /\bsession(?:[- ]?id)?\b.{0,80}?\b(?:not found|not valid|invalid|unknown|expired|terminated|not exist|n't exist)/i,
  /\b(?:no transport|no session|could not find session|cannot find session)\b/i,
  // The official server after a restart: its new transport has not seen this session's `initialize`.
  /\bserver not initialized\b/i,
]

/** Whether an answer to a request that carried a session id says that this session no longer exists. */
export function isSessionLost(status: number, body: string): boolean {
  // 404 with -32601 is about the method: servers of both eras answer so.
  if (status === 404 || status === 410) return !/"code"\s*:\s*-32601\b/.test(body)
  if (status !== 400) return false
  const head = body.slice(0, 4000)
  return SPELLINGS.some((spelling) => spelling.test(head))
}

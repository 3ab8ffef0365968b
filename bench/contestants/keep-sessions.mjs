/**
 * A handler that keeps a transport for each session, as the documentation of the official SDK shows. The
 * transports read the body themselves.
 */
export function keepSessions(openSession) {
  const sessions = new Map()
  return async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id'])
    if (known) return known.handleRequest(request, response)
    const transport = await openSession((id) => sessions.set(id, transport))
    await transport.handleRequest(request, response)
  }
}

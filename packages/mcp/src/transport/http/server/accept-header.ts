const STREAM = 'text/event-stream'
const JSON_TYPE = 'application/json'

// Whether a GET asks for a stream: old clients send `*/*` or nothing; browsers name pages first.
export function acceptsEventStream(accept: string | undefined): boolean {
  const wanted = accept?.toLowerCase()
  if (wanted === undefined || wanted.includes(STREAM)) return true
  return (wanted.includes('*/*') || wanted.includes('text/*')) && !wanted.includes('text/html')
}

export function acceptsStream(accept: string | undefined): boolean {
  return accept === undefined || accept.includes(STREAM) || accept.includes('*/*')
}

/** Whether a stream is preferred over one JSON body (2025-11-25, Sending Messages to the Server). */
export function prefersStream(accept: string | undefined): boolean {
  if (!accept?.includes(STREAM)) return false
  const at = accept.indexOf(JSON_TYPE)
  if (at === -1 && !accept.includes('*/*')) return true
  if (accept.includes(';')) return weightOf(STREAM, accept) > weightOf(JSON_TYPE, accept)
  return accept.indexOf(STREAM) < at
}

/** The weight of a type (RFC 9110, 12.4.2); 0 when it is not named. */
function weightOf(type: string, accept: string): number {
  const range = accept.split(',').find((one) => one.trim().startsWith(type))
  if (range === undefined) return 0
  const weight = Number(/;\s*q=([\d.]+)/i.exec(range)?.[1] ?? 1)
  return Number.isFinite(weight) ? weight : 1
}

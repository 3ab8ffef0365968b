import type { AuditReceiver } from '../../model/index.ts'

const TIMEOUT = 30_000

/** Posts batches of events to a receiver. Any other status than 2xx is a failure. */
export function batchPoster(
  { url, headers }: AuditReceiver,
  contentType: string,
): (body: string | Uint8Array<ArrayBuffer>, signal: AbortSignal) => Promise<void> {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]))
  const sent = { ...own, 'content-type': contentType }
  return async (body, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: sent,
      body,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`it answered with status ${response.status}`)
  }
}

import type { AuditReceiver } from '../../model/index.ts'
import { parseEvent } from '../read-events.ts'
import { toFound } from '../search.ts'

const TIMEOUT = 30_000

/** Posts events as a batch of CloudEvents 1.0 (JSON batch format). Any other status than 2xx is a failure. */
export function cloudEvents(
  { url, headers }: AuditReceiver,
  source: string,
): (events: readonly string[], signal: AbortSignal) => Promise<void> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]))
  return async (events, signal) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...sent, 'content-type': 'application/cloudevents-batch+json; charset=utf-8' },
      body: `[${events.map((event) => toCloudEvent(event, source)).join(',')}]`,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`it answered with status ${response.status}`)
  }
}

function toCloudEvent(line: string, source: string): string {
  const { id, at, operation, target, object } = toFound(parseEvent(line) ?? {})
  const subject = [target, object].filter((part) => part !== undefined).join('/')
  const context = {
    specversion: '1.0',
    id,
    source,
    type: `gantry.audit.${operation.replaceAll('/', '.')}`,
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    ...(subject !== '' && { subject }),
  }
  // The event stays as it was written: its fingerprint can be checked.
  return `${JSON.stringify(context).slice(0, -1)},"data":${line}}`
}

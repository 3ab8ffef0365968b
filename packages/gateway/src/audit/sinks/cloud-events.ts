import type { AuditReceiver } from '../../model/index.ts'
import { parseEvent } from '../read-events.ts'
import { toFound } from '../search.ts'
import { batchPoster } from './post-batch.ts'
import type { ShipperOptions } from './shipper.ts'

/** Posts events as a batch of CloudEvents 1.0 (JSON batch format). */
export function cloudEvents(receiver: AuditReceiver, source: string): ShipperOptions['send'] {
  const post = batchPoster(receiver, 'application/cloudevents-batch+json; charset=utf-8')
  return (events, signal) => post(`[${events.map((event) => toCloudEvent(event, source)).join(',')}]`, signal)
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

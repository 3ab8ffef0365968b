import { millisToHrTime } from '@opentelemetry/core'
import { ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import type { AuditReceiver } from '../../model/index.ts'
import { parseEvent } from '../read-events.ts'
import { toFound } from '../search.ts'
import { batchPoster } from './post-batch.ts'
import type { ShipperOptions } from './shipper.ts'

/** The severities INFO and WARN of OpenTelemetry. */
const INFO = 9
const WARN = 13

/** Sends events to an OpenTelemetry collector. The body of a record is the event as it was written. */
export function otlpLogs(receiver: AuditReceiver, name: string): ShipperOptions['send'] {
  const post = batchPoster(receiver, 'application/x-protobuf')
  const resource = resourceFromAttributes({ 'service.name': name })
  return (events, signal) => {
    const records = events.map((event) => toRecord(event, resource))
    return post(new Uint8Array(ProtobufLogsSerializer.serializeRequest(records)!), signal)
  }
}

function toRecord(line: string, resource: ReadableLogRecord['resource']): ReadableLogRecord {
  const { id, at, operation, outcome, decision } = toFound(parseEvent(line) ?? {})
  const isDenied = decision === 'denied'
  return {
    hrTime: millisToHrTime(at),
    hrTimeObserved: millisToHrTime(Date.now()),
    severityNumber: isDenied ? WARN : INFO,
    severityText: isDenied ? 'WARN' : 'INFO',
    eventName: 'gantry.audit',
    body: line,
    attributes: {
      'log.record.uid': id,
      'gantry.audit.operation': operation,
      'gantry.audit.outcome': outcome,
    },
    droppedAttributesCount: 0,
    resource,
    instrumentationScope: { name: 'gantry.audit' },
  }
}

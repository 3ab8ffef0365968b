import { ExportResultCode, millisToHrTime } from '@opentelemetry/core'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import type { AuditReceiver } from '../../model/index.ts'
import { parseEvent } from '../read-events.ts'
import { toFound } from '../search.ts'

const TIMEOUT = 30_000
/** The severities INFO and WARN of OpenTelemetry. */
const INFO = 9
const WARN = 13

/** Sends events to an OpenTelemetry collector. The body of a record is the event as it was written. */
export function otlpLogs(
  { url, headers }: AuditReceiver,
  name: string,
): (events: readonly string[]) => Promise<void> {
  const sent = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, value.reveal()]))
  const exporter = new OTLPLogExporter({ url, headers: sent, timeoutMillis: TIMEOUT })
  const resource = resourceFromAttributes({ 'service.name': name })
  return (events) =>
    new Promise((resolve, reject) => {
      exporter.export(
        events.map((event) => toRecord(event, resource)),
        ({ code, error }) => {
          if (code === ExportResultCode.SUCCESS) resolve()
          else reject(new Error(error?.message ?? 'it was not taken'))
        },
      )
    })
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

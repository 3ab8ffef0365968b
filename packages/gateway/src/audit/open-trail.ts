import type { AuditModel } from '../model/index.ts'
import type { Clean } from './audit-event.ts'
import { Shipper, type ShipperOptions } from './sinks/shipper.ts'
import { loadSigningKey } from './load-signing-key.ts'
import { AuditTrail } from './trail.ts'

export interface OpenTrailOptions {
  readonly settings: AuditModel
  readonly stateDir: string
  readonly product: { readonly name: string; readonly version: string }
  readonly clean: Clean
  log(level: 'info' | 'warn', message: string, facts?: { event: 'audit-failed' | 'audit-not-sent' }): void
}

export interface OpenedTrail {
  readonly trail: AuditTrail
  close(): Promise<void>
}

/** The trail of this process, and what passes it on. A trail that cannot be written is tried again. */
export async function openTrail(options: OpenTrailOptions): Promise<OpenedTrail> {
  const { settings, stateDir, product, clean, log } = options
  const told = (what: string) => (error: Error | undefined) =>
    error
      ? log('warn', `${what} does not work: ${error.message}`, { event: 'audit-failed' })
      : log('info', `${what} works again`)
  const writing = settings.required
    ? 'The audit trail, without which nothing may be called,'
    : 'The audit trail'
  const trail = new AuditTrail({
    settings,
    key: loadSigningKey(stateDir),
    product,
    clean,
    onHealth: told(writing),
  })
  if (settings.stdout) trail.follow({ written: (lines) => void process.stdout.write(lines) })
  const shippers: Shipper[] = []
  for (const [name, send] of await receivers(settings, product.name)) {
    const what = `Sending audit events by ${name}`
    const onLost = (files: number): void =>
      log('warn', `${files} files of the audit trail went before they were sent by ${name}`, {
        event: 'audit-not-sent',
      })
    const { folder } = settings
    const shipper = new Shipper({ folder, chain: trail.chain, name, send, onHealth: told(what), onLost })
    trail.follow(shipper)
    shippers.push(shipper)
  }
  await trail.open()
  for (const shipper of shippers) shipper.start()
  return {
    trail,
    async close() {
      await trail.close()
      await Promise.all(shippers.map((shipper) => shipper.close()))
    },
  }
}

/** What sends to the receivers that there are, loaded for those alone. */
async function receivers(
  { http, otlp }: AuditModel,
  name: string,
): Promise<(readonly [string, ShipperOptions['send']])[]> {
  const found: (readonly [string, ShipperOptions['send']])[] = []
  if (http)
    found.push([
      'http',
      (await import('./sinks/cloud-events.ts')).cloudEvents(http, `/gantry/${encodeURIComponent(name)}`),
    ])
  if (otlp) found.push(['otlp', (await import('./sinks/otlp-logs.ts')).otlpLogs(otlp, name)])
  return found
}

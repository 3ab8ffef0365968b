import type { GatewayModel } from '../model/index.ts'
import { createLog, type Log, type LogOptions, type Verbosity } from '../telemetry/log.ts'
import { LogRing } from '../telemetry/log-ring.ts'
import { SecretScrubber } from '../telemetry/secret-scrubber.ts'

/** The log of a gateway with this configuration, and what takes secrets out of its lines. */
export function openLog(
  model: GatewayModel,
  level: LogOptions['level'] = model.telemetry.logLevel,
  scrubber: SecretScrubber = new SecretScrubber(model),
  format: LogOptions['format'] = model.telemetry.logFormat,
): { log: Log; scrubber: SecretScrubber; ring: LogRing; verbosity: Verbosity } {
  const scrub = (text: string): string => scrubber.scrubText(text)
  const ring = new LogRing()
  const verbosity = { debug: false }
  return { log: createLog({ level, format, scrub, ring, verbosity }), scrubber, ring, verbosity }
}

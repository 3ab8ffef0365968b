import type { StatsSummary } from '../../telemetry/stats.ts'
import type { TrafficStats } from '../contract.ts'

export function toTrafficStats({ calls, errors, p50, p95, traffic }: StatsSummary): TrafficStats {
  return {
    calls,
    errors,
    ...(calls > 0 && { errorRate: errors / calls }),
    ...(p50 !== undefined && { p50 }),
    ...(p95 !== undefined && { p95 }),
    traffic,
  }
}

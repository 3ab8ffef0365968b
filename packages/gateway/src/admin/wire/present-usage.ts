import type { Usage } from '../../telemetry/usage/usage-slot.ts'
import { tokensIn } from '../catalog/estimate-tokens.ts'
import type { ToolFigures } from '../contract.ts'

export function presentUsage({ target, tool, client, principal, counts }: Usage): ToolFigures {
  const { calls, errors, bytesIn, bytesOut, lastAt } = counts
  return {
    target,
    ...(tool !== undefined && { name: tool }),
    ...(client !== undefined && { client }),
    ...(principal !== undefined && { principal }),
    calls,
    errors,
    p50: counts.percentile(0.5),
    p95: counts.percentile(0.95),
    bytesIn,
    bytesOut,
    tokensIn: tokensIn(bytesIn),
    tokensOut: tokensIn(bytesOut),
    lastAt,
  }
}

import type { Gateway } from '../../gateway.ts'
import { TargetError } from '../../targets/target-error.ts'
import type { ExchangeRecord } from '../../telemetry/exchange-record.ts'

type Targets = Pick<Gateway, 'target'>

/** Why a target takes no calls, and so no answers to what it asked; undefined while it is there and on. */
function whyOff(gateway: Targets, name: string): TargetError | undefined {
  const target = gateway.target(name)
  if (target) return target.off
  return new TargetError(name, 'disabled', `Target "${name}" is off: it was removed`)
}

/** Why what a request was asked cannot be answered any more. */
export function whyUnanswerable(
  gateway: Targets,
  { target, isAskerThere }: Pick<ExchangeRecord, 'target' | 'isAskerThere'>,
): TargetError | undefined {
  if (target === undefined) return undefined
  const off = whyOff(gateway, target)
  if (off || isAskerThere?.() !== false) return off
  return new TargetError(target, 'closed', `Target "${target}" has ended since it asked; make the call again`)
}

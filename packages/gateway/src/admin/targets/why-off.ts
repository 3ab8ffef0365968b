import type { Gateway } from '../../gateway.ts'
import { TargetError } from '../../targets/target-error.ts'

/** Why a target takes no calls, and so no answers to what it asked; undefined while it is there and on. */
export function whyOff(gateway: Pick<Gateway, 'target'>, name: string): TargetError | undefined {
  const target = gateway.target(name)
  if (target) return target.off
  return new TargetError(name, 'disabled', `Target "${name}" is off: it was removed`)
}

import type { Gateway } from '../../gateway.ts'
import type { Target } from '../../targets/target.ts'
import { unknownTarget } from '../config/target-entries.ts'

/** The target of this name; throws when there is none. */
export function findTarget(gateway: Gateway, name: string): Target {
  const target = gateway.target(name)
  if (target) return target
  throw unknownTarget(
    name,
    gateway.targets.map((one) => one.name),
  )
}

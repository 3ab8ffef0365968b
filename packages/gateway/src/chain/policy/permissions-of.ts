import type { PolicyModel } from '../../model/index.ts'
import type { Subject } from './concerns.ts'
import { Permissions } from './permissions.ts'

/** The sender of a request; without `auth` it came with no credentials. */
export interface Caller {
  readonly auth?: Subject
}

const EVERYTHING = new Permissions({ fallback: 'allow', rules: [] }, undefined)

/** What the caller of an exchange may see and use. */
export function permissionsOf(policy: PolicyModel, { auth }: Caller): Permissions {
  // Most gateways have no rules: their calls pay nothing.
  if (policy.rules.length === 0 && policy.fallback === 'allow') return EVERYTHING
  return new Permissions(policy, auth)
}

import type { Principal } from '@gantry/mcp/exchange'
import type { PersonalAccounts } from '../../targets/personal.ts'

/** How people are asked to connect their accounts. */
export interface Consent extends PersonalAccounts {
  /** An address where this person connects this target. It carries no credential, and works once. */
  link(principal: Principal, target: string): Promise<string>
  /** Resolves when the account of a person at a target has changed, or may have. */
  changed(principal: Principal, target: string, signal: AbortSignal): Promise<void>
}

/** For gateways whose targets have no accounts of people. */
export const NO_CONSENT: Consent = {
  open: async () => undefined,
  has: async () => false,
  link: async () => '',
  changed: () => new Promise(() => {}),
}

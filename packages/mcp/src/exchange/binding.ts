import { canonicalJson } from '../jsonrpc/index.ts'
import { principalKey, type Principal } from '../protocol/index.ts'

/** The one binding of sealed sessions, tasks and states: same purpose, principal and facts. */
export function bindingOf(purpose: string, principal: Principal | undefined, ...facts: unknown[]): string {
  return canonicalJson([purpose, principalKey(principal), ...facts])
}

import { canonicalJson } from '../jsonrpc/index.ts'
import { principalKey, type Principal } from '../protocol/index.ts'

/**
 * What is sealed for a caller opens with the same binding only: for the same purpose, the same principal and the
 * same facts. Sessions, tasks and the state of suspended calls are all bound by this one function.
 */
export function bindingOf(purpose: string, principal: Principal | undefined, ...facts: unknown[]): string {
  return canonicalJson([purpose, principalKey(principal), ...facts])
}

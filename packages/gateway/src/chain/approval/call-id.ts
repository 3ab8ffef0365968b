import { createHash } from 'node:crypto'
import { canonicalJson, principalKey, type JsonObject } from '@gantry/mcp/exchange'
import type { RuleSet } from '../../model/index.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import { policyCall } from '../policy/policy-call.ts'

const versions = new WeakMap<RuleSet, string>()

/** Names a policy: another text of the rules is another policy. */
export function policyVersion(rules: RuleSet): string {
  let version = versions.get(rules)
  if (version === undefined) {
    const { fallback, within } = rules
    const texts = rules.rules.map(({ when, ...rule }) => ({ ...rule, when: when?.source }))
    version = digest(JSON.stringify([fallback, texts, within]))
    versions.set(rules, version)
  }
  return version
}

/**
 * Names a call: who makes it, at which endpoint, of what, with which arguments, under which policy. An approval for one
 * is worth nothing for another. It begins with the caller, so that the calls of one caller stand together.
 */
export function callId(exchange: ResolvedExchange, policy: string): string {
  const { auth, endpoint, resolved } = exchange
  const caller = principalKey(auth?.principal)
  const { kind, target, name } = resolved
  const call = canonicalJson([
    caller,
    endpoint.name,
    kind,
    target.name,
    name,
    argsOf(exchange) ?? null,
    policy,
  ])
  return `${digest(caller).slice(0, 8)}-${digest(call)}`
}

/** What approvers see of a call; undefined when there is nothing to see. */
export function argsOf(exchange: ResolvedExchange): JsonObject | undefined {
  const args = policyCall(exchange)?.args
  if (!args || exchange.resolved.kind !== 'methods') return args
  const { _meta, inputResponses, requestState, ...rest } = args
  return rest
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

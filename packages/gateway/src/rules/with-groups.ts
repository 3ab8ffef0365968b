import type { AuthInfo, JsonObject } from '@gantry/mcp/exchange'
import type { GroupsModel } from '../model/index.ts'
import { Facts, KnownCaller } from './facts.ts'

type Holder = Pick<AuthInfo, 'principal' | 'scopes'> & Partial<AuthInfo>

/** The caller with its groups where rules look for them: the claim `groups`. Fails closed, to no group. */
export function withGroups<T extends Holder>(auth: T, from: GroupsModel | undefined): T {
  if (!from) return auth
  const { claims = {} } = auth
  return {
    ...auth,
    claims: { ...claims, groups: 'claims' in from ? groupsAt(claims, from.claims) : evaluate(auth, from) },
  }
}

function groupsAt(claims: Readonly<JsonObject>, paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => textsOf(claimAt(claims, path))))]
}

/** Names of claims may have dots in them (`https://example.com/roles`), so the whole text is tried first. */
function claimAt(claims: Readonly<JsonObject>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path]
  let at: unknown = claims
  for (const step of path.split('.')) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, step))
      return undefined
    at = (at as JsonObject)[step]
  }
  return at
}

function evaluate(
  auth: Holder,
  { expression }: { expression: { evaluate(facts: unknown): unknown } },
): string[] {
  try {
    return textsOf(expression.evaluate(new Facts({ caller: new KnownCaller({ auth }) })))
  } catch {
    return []
  }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

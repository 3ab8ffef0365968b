import type { ServerContext } from '../../exchange/app-types.ts'
import type { AuthInfo, ClientFacts, Exchange } from '../../exchange/index.ts'

export interface Caller {
  readonly auth: AuthInfo | undefined
  readonly client: ClientFacts
  readonly serverContext: ServerContext
}

/** An exchange, or a caller that was taken from one. */
export type Asking = Pick<Exchange, 'auth' | 'client' | 'serverContext'>

/** Hides a definition from its list **and** refuses its use, as if it did not exist. */
export interface Visibility {
  when?: (caller: Caller) => boolean
  /** Scopes that the caller's token must have. */
  scopes?: readonly string[]
}

export function isRestricted(definition: Visibility): boolean {
  return definition.when !== undefined || (definition.scopes !== undefined && definition.scopes.length > 0)
}

export function isVisible(definition: Visibility, asking: Asking): boolean {
  const { scopes, when } = definition
  if (scopes?.some((scope) => !asking.auth?.scopes.includes(scope))) return false
  return when === undefined || decides(when, asking)
}

/** A promise would count as yes: returning one by mistake must not show everything to all callers. */
function decides(when: NonNullable<Visibility['when']>, asking: Asking): boolean {
  const answer: unknown = when(callerOf(asking))
  if (typeof answer === 'object' && answer !== null) {
    throw new TypeError('`when` must answer true or false at once; it returned an object, or a promise')
  }
  return Boolean(answer)
}

/** The scopes with which a known caller would see what is hidden from it; undefined when they would not help. */
export function scopesToSee(
  definition: Visibility | undefined,
  asking: Asking,
): readonly string[] | undefined {
  const { scopes, when } = definition ?? {}
  if (!asking.auth || !scopes?.length) return undefined
  return when === undefined || decides(when, asking) ? scopes : undefined
}

export function callerOf(asking: Asking): Caller {
  return { auth: asking.auth, client: asking.client, serverContext: asking.serverContext as ServerContext }
}

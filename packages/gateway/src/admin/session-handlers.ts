import { nameOfPerson } from '../identity/name-of-person.ts'
import type { AdminHost } from './admin-host.ts'
import { ApiError } from './api-error.ts'
import type { Caller, Handlers } from './handlers.ts'
import { gatewayInfo } from './overview/overview-handlers.ts'

/** Tells callers who they are, and signs browsers in and out. `AdminServer` makes the cookie. */
export function sessionHandlers(
  host: AdminHost,
): Pick<Handlers, 'session' | 'openSession' | 'signOut' | 'renewToken'> {
  const session: Handlers['session'] = ({ caller }) => ({
    principal: caller.principal,
    ...nameOf(caller),
    isPerson: caller.session !== undefined,
    ...(caller.role !== undefined && { role: caller.role, gateway: gatewayInfo(host) }),
  })
  return {
    session,
    openSession: session,
    signOut: () => ({ ok: true }),
    renewToken: async () => ({ address: await renewToken(host) }),
  }
}

function nameOf({ auth }: Caller): { name?: string } {
  const name = nameOfPerson(auth?.claims) ?? auth?.principal.subject
  return name === undefined ? {} : { name }
}

async function renewToken({ renewToken: renew }: AdminHost): Promise<string> {
  if (renew) return renew()
  throw new ApiError('conflict', 'This gateway has no token of its own', {
    fix: 'It is reached from other machines: change the keys under "auth" in the configuration.',
  })
}

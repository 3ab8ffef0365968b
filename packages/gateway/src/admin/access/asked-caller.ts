import type { JsonObject } from '@gantry/mcp/exchange'
import type { Subject } from '../../rules/facts.ts'
import { CALLER_FORMS, readCaller } from '../../rules/read-caller.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'

interface Asked {
  readonly as?: string | undefined
  readonly issuer?: string | undefined
  readonly claims?: JsonObject | undefined
}

/** The caller that an operator asks about. Keys of the store have the scopes that they were made with. */
export async function askedCaller({ as, issuer, claims }: Asked, host: AdminHost): Promise<Subject> {
  const { auth } = host.gateway.model
  const name = auth.keys ? /^key:(.+)$/s.exec(as ?? '')?.[1] : undefined
  const scopes = name === undefined ? undefined : (await host.keys.get(name))?.scopes
  const read = readCaller({ as, issuer, scopes, claims }, auth)
  if (read.ok) return read.subject
  throw new ApiError('bad_request', `"${as}" names no caller`, { fix: `Write ${CALLER_FORMS}.` })
}

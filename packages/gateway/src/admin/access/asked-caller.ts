import type { JsonObject } from '@gantry/mcp/exchange'
import type { Subject } from '../../rules/facts.ts'
import { CALLER_FORMS, readCaller } from '../../rules/read-caller.ts'
import { suggest, type AuthModel } from '../../model/index.ts'
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
  const name = /^key:(.+)$/s.exec(as ?? '')?.[1]
  const kept = name === undefined || !auth.keys ? undefined : await host.keys.get(name)
  if (name !== undefined && !kept) requireKey(name, auth)
  const scopes = kept?.scopes
  const read = readCaller({ as, issuer, scopes, claims }, auth)
  if (read.ok) return read.subject
  throw new ApiError('bad_request', `"${as}" names no caller`, { fix: `Write ${CALLER_FORMS}.` })
}

/** Refuses the name of a key that does not exist: the answer would say nothing of the key that was meant. */
function requireKey(name: string, { apiKeys, keys }: AuthModel): void {
  const known = apiKeys.map((key) => key.name)
  if (known.includes(name) || (known.length === 0 && !keys)) return
  const close = suggest(name, known)
  throw new ApiError('bad_request', `No key is called "${name}"`, {
    fix: close ? `Did you mean "key:${close}"?` : 'gantry keys list shows the keys.',
  })
}

import { ManagedKeys, KeyProblem } from '../../identity/keys/managed-keys.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { Handlers } from '../handlers.ts'

export function keyHandlers({ gateway, keys }: AdminHost): Pick<Handlers, 'keys' | 'addKey' | 'revokeKey'> {
  const managed = new ManagedKeys(keys, () => gateway.model)
  return {
    keys: async () => ({ accepting: managed.isAccepting, keys: await managed.list() }),
    addKey: async ({ body, caller }) => {
      const { key, listed } = await managed.add(body).catch(refuse)
      gateway.log('info', 'A key was made', { key: listed.name, by: caller.principal })
      return { key, row: listed }
    },
    revokeKey: async ({ params: { name }, caller }) => {
      await managed.revoke(name).catch(refuse)
      gateway.log('info', 'A key was revoked', { key: name, by: caller.principal })
      return { ok: true }
    },
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof KeyProblem)) throw error
  throw new ApiError(error.code, error.message, { fix: error.fix, cause: error })
}

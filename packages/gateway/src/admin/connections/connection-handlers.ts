import { describePrincipal, principalKey } from '@gantry/mcp/exchange'
import { placeOf, samePlace } from '../../identity/vault/place-of.ts'
import type { VaultRow } from '../../identity/vault/vault.ts'
import type { TargetModel } from '../../model/index.ts'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { ConnectionRow } from '../contract.ts'
import type { Handlers } from '../handlers.ts'
import { publicId } from '../public-id.ts'

/** More than anybody looks through; the command line lists all. */
const SHOWN = 1_000

/** The accounts that people have connected, for operators. The vault is opened when they are asked for. */
export function connectionHandlers({
  accounts,
  gateway,
}: AdminHost): Pick<Handlers, 'connections' | 'removeConnection'> {
  const targetOf = ({ target }: VaultRow): TargetModel | undefined =>
    gateway.model.targets.find(({ name }) => name === target)
  return {
    connections: async () => {
      const rows = await (await accounts.get()).vault.list()
      const shown = rows.toSorted((one, other) => other.connectedAt - one.connectedAt).slice(0, SHOWN)
      return { total: rows.length, connections: shown.map((row) => present(row, targetOf(row))) }
    },
    removeConnection: async ({ params, caller }) => {
      const opened = await accounts.get()
      const row = (await opened.vault.list()).find((one) => idOf(one) === params.id)
      if (!row) {
        throw new ApiError('not_found', 'There is no such connection', {
          fix: 'It may have been removed meanwhile.',
        })
      }
      await opened.disconnect(row, targetOf(row))
      gateway.log('info', 'An account was disconnected', {
        target: row.target,
        of: describePrincipal(row.principal),
        by: caller.principal,
      })
      return { ok: true }
    },
  }
}

function idOf({ principal, target, server }: VaultRow): string {
  return publicId(JSON.stringify([principalKey(principal), target, server]))
}

function present(row: VaultRow, target: TargetModel | undefined): ConnectionRow {
  const { principal, connectedAt, kind, renewable, expiresAt, usedAt } = row
  return {
    id: idOf(row),
    as: `${principal.kind}:${principal.subject}`,
    ...(principal.issuer !== undefined && { issuer: principal.issuer }),
    target: row.target,
    by: kind,
    connectedAt,
    ...(!renewable && expiresAt !== undefined && { expiresAt }),
    ...(usedAt !== undefined && { usedAt }),
    inUse: target?.credentials.kind === 'user' && samePlace(row, placeOf(target, principal)),
  }
}

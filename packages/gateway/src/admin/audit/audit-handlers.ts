import { basename } from 'node:path'
import type { AdminHost } from '../admin-host.ts'
import { ApiError } from '../api-error.ts'
import type { AuditEntry } from '../contract.ts'
import type { Handlers } from '../handlers.ts'

const MOST = 500

/** Looks into the audit trail, and checks it. */
export function auditHandlers({ gateway }: AdminHost): Pick<Handlers, 'audit' | 'verifyAudit'> {
  return {
    async audit({ query, signal }) {
      const trail = gateway.audit
      if (!trail) return { isOn: false, events: [], lost: 0 }
      const { searchTrail } = await import('../../audit/index.ts')
      await trail.flush()
      const { limit = 100, ...wanted } = query ?? {}
      const events = await searchTrail(trail.settings.folder, wanted, Math.min(limit, MOST), signal)
      return {
        isOn: true,
        events: events as unknown as AuditEntry[],
        lost: trail.lost,
        ...(trail.error && { failure: trail.error.message }),
      }
    },
    async verifyAudit({ signal }) {
      const trail = gateway.audit
      if (!trail) throw new ApiError('conflict', 'There is no audit trail', { fix: 'Configure "audit".' })
      const { verifyTrail } = await import('../../audit/index.ts')
      await trail.flush()
      const { ok, chains, faults } = await verifyTrail(trail.settings.folder, { heads: [trail.head], signal })
      return {
        ok,
        chains,
        faults: faults.map(({ file, line, problem }) => ({
          file: basename(file),
          problem,
          ...(line !== undefined && { line }),
        })),
      }
    },
  }
}

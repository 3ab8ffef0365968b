import type { AdminHost } from '../admin-host.ts'
import type { Handlers } from '../handlers.ts'
import type { CatalogLister } from './catalog-lister.ts'
import type { ChangeLog } from './change-log.ts'

export function catalogHandlers(
  host: AdminHost,
  lister: CatalogLister,
  changes: ChangeLog,
): Pick<Handlers, 'catalog' | 'catalogEntry' | 'catalogChanges'> {
  return {
    catalog: async ({ query }) => {
      const { catalog } = host.gateway
      // A command without a running gateway has nothing but this question to wait for, and wants it answered.
      if (query?.refresh) await (host.front ? catalog.merged.ready(catalog.catalogs) : catalog.refreshAll())
      return lister.list()
    },
    catalogEntry: ({ query }) => lister.detail(query.kind, query.key),
    catalogChanges: ({ query }) => changes.list(query ?? {}),
  }
}

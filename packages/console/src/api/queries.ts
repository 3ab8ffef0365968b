import { keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query'
import { call, isUnreachable } from './call.ts'
import type { AskSeen, EntryKind, LoadRange, Routes, UsagePer, UsageRange } from './contract.ts'
import { askSession } from './session.ts'

/** The event stream says when something is old, so nothing is fetched twice for being some seconds old. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: (count, error) => count < 2 && isUnreachable(error),
    },
  },
})

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: askSession,
  staleTime: Number.POSITIVE_INFINITY,
})

export const overviewQuery = queryOptions({ queryKey: ['overview'], queryFn: () => call('overview') })

export const loadQuery = (range: LoadRange, target?: string) =>
  queryOptions({
    queryKey: ['load', range, target],
    queryFn: () => call('load', { query: { range, ...(target !== undefined && { target }) } }),
    placeholderData: keepPreviousData,
  })

export const waitingQuery = queryOptions({ queryKey: ['waiting'], queryFn: () => call('waiting') })

export const approvalsQuery = queryOptions({ queryKey: ['approvals'], queryFn: () => call('approvals') })

export const targetQuery = (name: string) =>
  queryOptions({
    queryKey: ['target', name],
    queryFn: () => call('target', { params: { name } }),
  })

/** More than a screen shows. */
const FIRST_ENTRIES = 100

export const firstEntriesQuery = queryOptions({
  queryKey: ['catalog', 'first'],
  queryFn: () => call('catalog', { query: { limit: FIRST_ENTRIES } }),
})

export const briefCatalogQuery = queryOptions({
  queryKey: ['catalog', 'brief'],
  queryFn: () => call('catalog', { query: { brief: true } }),
})

export const targetEntriesQuery = (target: string, kind: EntryKind, limit?: number) =>
  queryOptions({
    queryKey: ['catalog', 'target', target, kind, limit],
    queryFn: () => call('catalog', { query: { target, kind, ...(limit !== undefined && { limit }) } }),
  })

/** Everything. Pages use what `useCatalog` gives. */
export const catalogQuery = queryOptions({
  queryKey: ['catalog', 'whole'],
  queryFn: () => call('catalog', { query: {} }),
})

export const entryQuery = (kind: EntryKind, key: string) =>
  queryOptions({
    queryKey: ['catalog', 'entry', kind, key],
    queryFn: () => call('catalogEntry', { query: { kind, key } }),
  })

export const changesQuery = queryOptions({
  queryKey: ['catalog', 'changes'],
  queryFn: () => call('catalogChanges', { query: {} }),
})

export const accessQuery = queryOptions({ queryKey: ['access'], queryFn: () => call('access') })

/** Nothing tells of them, so they are asked for with every look. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: () => call('connections'),
  staleTime: 0,
})

export const seenQuery = (body: AskSeen) =>
  queryOptions({
    queryKey: ['seen', body],
    queryFn: () => call('seen', { body }),
    placeholderData: keepPreviousData,
  })

export const viewQuery = (name: string) =>
  queryOptions({ queryKey: ['view', name], queryFn: () => call('view', { params: { name } }) })

export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: () => call('clients'),
})

export const toolsQuery = (range: UsageRange, per: UsagePer) =>
  queryOptions({
    placeholderData: keepPreviousData,
    queryKey: ['tools', range, per],
    queryFn: () => call('tools', { query: { range, per } }),
  })

export const configQuery = queryOptions({ queryKey: ['config'], queryFn: () => call('config') })

export const versionsQuery = queryOptions({
  queryKey: ['config', 'versions'],
  queryFn: () => call('configVersions'),
})

export const versionQuery = (id: string) =>
  queryOptions({
    queryKey: ['config', 'versions', id],
    queryFn: () => call('configVersion', { params: { id } }),
    placeholderData: keepPreviousData,
  })

export const configSchemaQuery = queryOptions({
  queryKey: ['config-schema'],
  queryFn: () => call('configSchema'),
  staleTime: Number.POSITIVE_INFINITY,
})

export type AuditAsked = Omit<Routes['audit']['query'], 'limit' | 'until'>

export const auditQuery = (asked: AuditAsked) =>
  queryOptions({
    queryKey: ['audit', 'search', asked],
    queryFn: () => call('audit', { query: { ...asked, limit: 200 } }),
    placeholderData: keepPreviousData,
  })

export const logQuery = (target?: string) =>
  queryOptions({
    queryKey: ['log', target],
    queryFn: () => call('log', { query: target === undefined ? {} : { target, limit: 20 } }),
  })

export const whyQuery = (asked: Routes['why']['query']) =>
  queryOptions({
    queryKey: ['why', asked],
    queryFn: () => {
      const given = Object.entries(asked).filter(([, value]) => value !== '')
      return call('why', { query: Object.fromEntries(given) as Routes['why']['query'] })
    },
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

export const wireDetailQuery = (id: number) =>
  queryOptions({
    queryKey: ['wire', id],
    queryFn: () => call('wireDetail', { params: { id } }),
    staleTime: 0,
  })

export const callsQuery = queryOptions({ queryKey: ['calls'], queryFn: () => call('playgroundCalls') })

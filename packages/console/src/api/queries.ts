import { keepPreviousData, QueryClient, queryOptions } from '@tanstack/react-query'
import { call, isUnreachable } from './call.ts'
import type { EntryKind } from './contract.ts'

/** The event stream says when something is old, so nothing is fetched twice for being some seconds old. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      retry: (count, error) => count < 2 && isUnreachable(error),
    },
  },
})

export const overviewQuery = queryOptions({ queryKey: ['overview'], queryFn: () => call('overview') })

export const targetQuery = (name: string) =>
  queryOptions({
    queryKey: ['target', name],
    queryFn: () => call('target', { params: { name } }),
    // Memory and CPU of the process tree come with the target only.
    refetchInterval: 5_000,
  })

export const catalogQuery = queryOptions({
  queryKey: ['catalog'],
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

export const clientsQuery = queryOptions({
  queryKey: ['clients'],
  queryFn: () => call('clients'),
  refetchInterval: 5_000,
})

export const configQuery = queryOptions({ queryKey: ['config'], queryFn: () => call('config') })

export const configSchemaQuery = queryOptions({
  queryKey: ['config-schema'],
  queryFn: () => call('configSchema'),
  staleTime: Number.POSITIVE_INFINITY,
})

export const whyQuery = (name: string, as?: string) =>
  queryOptions({
    queryKey: ['why', name, as],
    queryFn: () => call('why', { query: { name, ...(as !== undefined && as !== '' && { as }) } }),
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

import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { call } from '../../api/call.ts'
import type { CatalogList, EntryKind } from '../../api/contract.ts'
import { May } from '../../api/may.tsx'
import { catalogQuery, queryClient } from '../../api/queries.ts'
import { useCatalog } from '../../api/use-catalog.ts'
import { Bar, Count } from '../../ui/layout/bar.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { SearchField, Select } from '../../ui/controls/fields.tsx'
import { formatCount, plural } from '../../ui/text/format.ts'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { notifyError } from '../../ui/signs/toasts.tsx'
import styles from './catalog-page.module.css'
import { Changes, useFreshChanges } from './changes.tsx'
import { CostTable } from './cost-table.tsx'
import { EntryDetail } from './entry-detail.tsx'
import { EntryList } from './entry-list.tsx'
import { filterEntries } from './filter-entries.ts'

const route = getRouteApi('/catalog')

export function CatalogPage() {
  const { view = 'entries', entry, q = '', kind = '', target = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const isFound = entry !== undefined || `${q}${kind}${target}` !== '' || view === 'cost'
  const { data, error } = useCatalog({ whole: isFound })
  const refresh = useMutation({
    mutationFn: () => call('catalog', { query: { refresh: true } }),
    onSuccess: (catalog) => queryClient.setQueryData(catalogQuery.queryKey, catalog),
    onError: notifyError,
  })
  return (
    <Page
      title="Catalog"
      lead={data && summary(data)}
      actions={
        <May use="targetAction">
          <Button icon={RefreshCw} disabled={refresh.isPending} onClick={() => refresh.mutate()}>
            Refresh all lists
          </Button>
        </May>
      }
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={8} height="2rem" />}
      {data && <Gaps catalog={data} />}
      {data && (
        <Tabs
          label="Views of the catalog"
          value={view}
          onChange={(id) => navigate({ search: (old) => ({ ...old, view: id }), replace: true })}
          tabs={[
            { id: 'entries', title: 'Entries', content: () => <Entries catalog={data} /> },
            { id: 'changes', title: <ChangesTitle />, content: () => <Changes /> },
            { id: 'cost', title: 'Token cost', content: () => <CostTable catalog={data} /> },
          ]}
        />
      )}
    </Page>
  )
}

function ChangesTitle() {
  const fresh = useFreshChanges()
  return <>What changed{fresh > 0 && ` (${formatCount(fresh)} new)`}</>
}

function summary({ total, targets }: CatalogList): string {
  const tokens = targets.reduce((sum, { counts }) => sum + counts.tokens, 0)
  return `${formatCount(total)} entries of ${formatCount(targets.length)} targets, ~${formatCount(tokens)} tokens of definitions`
}

function Gaps({ catalog }: { catalog: CatalogList }) {
  const gaps = catalog.targets.filter(({ gap }) => gap)
  if (gaps.length === 0) return null
  return (
    <Notice tone="warn" title={`The lists of ${plural(gaps.length, 'target')} are missing or old`}>
      <details>
        <summary>{gaps.map(({ name }) => name).join(', ')}</summary>
        <ul>
          {gaps.map(({ name, gap }) => (
            <li key={name}>
              <Link to="/targets/$name" params={{ name }}>
                {name}
              </Link>
              : {gap!.reason}{' '}
              <Link to="/why" search={{ name }}>
                Why?
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  )
}

function Entries({ catalog }: { catalog: CatalogList }) {
  const search = route.useSearch()
  const { q = '', kind = '', target = '', entry, entryKind = 'tool' } = search
  const navigate = route.useNavigate()
  const set = (change: Partial<typeof search>) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  const shown = filterEntries(catalog.entries, { text: q, kind, target })
  const isFiltered = `${q}${kind}${target}` !== ''
  const kinds = ['tool', 'prompt', 'resource', 'template'] as const
  return (
    <div className={styles.entries}>
      <Bar>
        <SearchField label="Search names and descriptions" value={q} onChange={(text) => set({ q: text })} />
        <Select
          label="Kind"
          value={kind}
          onChange={(value) => set({ kind: value })}
          options={[['', 'All kinds'], ...kinds.map((one): [string, string] => [one, `${one}s`])]}
        />
        <Select
          label="Target"
          value={target}
          onChange={(value) => set({ target: value })}
          options={[
            ['', 'All targets'],
            ...catalog.targets.map(({ name }): [string, string] => [name, name]),
          ]}
        />
        <Count>{formatCount(isFiltered ? shown.length : catalog.total)} shown</Count>
      </Bar>
      <div className={entry === undefined ? styles.one : styles.two}>
        <EntryList
          entries={shown}
          selected={entry === undefined ? undefined : `${entryKind} ${entry}`}
          missing={q}
          onSelect={({ key, kind: selected }) => set({ entry: key, entryKind: selected })}
        />
        {entry !== undefined && (
          <EntryDetail
            key={`${entryKind} ${entry}`}
            kind={entryKind as EntryKind}
            name={entry}
            onClose={() => navigate({ search: ({ entry: _, entryKind: __, ...old }) => old })}
          />
        )}
      </div>
    </div>
  )
}

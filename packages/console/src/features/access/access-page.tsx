import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Access } from '../../api/contract.ts'
import { useMay } from '../../api/may.tsx'
import { accessQuery } from '../../api/queries.ts'
import { Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Tabs, type Tab } from '../../ui/controls/tabs.tsx'
import { ViewList } from '../views/view-list.tsx'
import { Callers } from './callers.tsx'
import { Connections } from './connections.tsx'
import { Limits } from './limits.tsx'
import { Results } from './results.tsx'
import { Rules } from './rules.tsx'
import { SeenBy } from './seen-by.tsx'
import { TryPolicy } from './try-policy.tsx'

const route = getRouteApi('/access')

/** Who comes in, what they may do, and what came of it. */
export function AccessPage() {
  const { tab = 'callers' } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(accessQuery)
  const may = useMay()
  return (
    <Page
      title="Access"
      lead="Who comes in, what they may see and call, and what rules and limits did since the gateway was started."
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <Tabs
          label="Access"
          tabs={tabsOf(data).filter(({ id }) => id !== 'connections' || may('connections'))}
          value={tab}
          onChange={(next) => navigate({ search: (old) => ({ ...old, tab: next }), replace: true })}
        />
      )}
    </Page>
  )
}

function tabsOf(access: Access): Tab[] {
  const { policy, limits, results, views } = access
  return [
    { id: 'callers', title: 'Callers', content: () => <Callers access={access} /> },
    { id: 'connections', title: 'Connections', content: () => <Connections /> },
    { id: 'rules', title: counted('Rules', policy.rules), content: () => <Rules policy={policy} /> },
    { id: 'limits', title: counted('Limits', limits), content: () => <Limits limits={limits} /> },
    { id: 'results', title: counted('Results', results), content: () => <Results access={access} /> },
    { id: 'views', title: counted('Views', views), content: () => <ViewList views={views} /> },
    { id: 'try', title: 'Try a call', content: () => <TryPolicy access={access} /> },
    { id: 'seen', title: 'As seen by', content: () => <SeenBy access={access} /> },
  ]
}

function counted(title: string, rows: readonly unknown[]): string {
  return rows.length === 0 ? title : `${title} (${rows.length})`
}

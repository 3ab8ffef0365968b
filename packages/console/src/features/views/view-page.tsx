import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { accessQuery, viewQuery } from '../../api/queries.ts'
import { Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import type { RawView } from './raw-view.ts'
import { ViewEditor } from './view-editor.tsx'

const route = getRouteApi('/view')

/** One view: what is in it, what it looks like, and what a model gets to read. */
export function ViewPage() {
  const { name = '' } = route.useSearch()
  const access = useQuery(accessQuery)
  const view = useQuery({ ...viewQuery(name), enabled: name !== '' })
  const error = access.error ?? view.error
  const saved = name === '' ? {} : (view.data?.view as RawView | undefined)
  return (
    <Page
      title={name === '' ? 'Add a view' : `View ${name}`}
      lead={
        <>
          An endpoint with a part of what the targets have, under names of its own.{' '}
          <Link to="/access" search={{ tab: 'views' }}>
            All views
          </Link>
        </>
      }
    >
      {error && <Failure error={error} />}
      {!error && !(access.data && saved) && <Skeleton lines={6} />}
      {access.data && saved && <ViewEditor key={name} name={name} saved={saved} access={access.data} />}
    </Page>
  )
}

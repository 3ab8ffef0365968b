import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ROUTES, type RouteName } from '../api/contract.ts'
import { sessionQuery } from '../api/queries.ts'
import { Page } from '../ui/layout/page.tsx'
import { Empty } from '../ui/signs/empty.tsx'

/** A page that takes another role than the person has. */
export function NotYours({ needed }: { needed: RouteName }) {
  const { data } = useQuery(sessionQuery)
  const home =
    data?.role === undefined ? <Link to="/approvals">Approvals</Link> : <Link to="/">Go to the overview</Link>
  return (
    <Page title={data?.role === undefined ? 'You have no role here' : 'Not for your role'}>
      <Empty title={`This page takes the role ${ROUTES[needed].role}`} action={home}>
        You are {data?.name ?? data?.principal}
        {data?.role === undefined ? ', without a role. ' : `, with the role ${data.role}. `}
        <code>auth.roles</code> in the configuration gives roles to groups.
      </Empty>
    </Page>
  )
}

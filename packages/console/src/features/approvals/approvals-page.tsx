import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { approvalsQuery } from '../../api/queries.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Notify } from '../waiting/notify.tsx'
import { ApprovalCard } from './approval-card.tsx'
import styles from './approvals-page.module.css'

/** Calls that are made when another person agrees. */
export function ApprovalsPage() {
  const { data, error } = useQuery(approvalsQuery)
  const { id } = useSearch({ from: '/approvals' })
  const isGone = id !== undefined && data !== undefined && !data.approvals.some((one) => one.id === id)
  return (
    <Page
      title="Approvals"
      lead="Calls that are made when another person than their caller agrees."
      actions={<Notify />}
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={3} />}
      {isGone && (
        <Notice tone="warn" title="The call of this link does not wait any more.">
          It was made or withdrawn, its time is over, or the policy has changed.
        </Notice>
      )}
      {data?.approvals.length === 0 && (
        <Card>
          <Empty title="No call waits for approval">
            Calls show here when a rule of the policy with <code>approve</code> holds for them.
          </Empty>
        </Card>
      )}
      {data && data.approvals.length > 0 && (
        <ul className={styles.approvals} aria-label="Calls that wait for approval">
          {data.approvals.map((one) => (
            <ApprovalCard key={one.id} approval={one} isMarked={one.id === id} />
          ))}
        </ul>
      )}
    </Page>
  )
}

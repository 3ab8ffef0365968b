import { useQuery } from '@tanstack/react-query'
import { approvalsQuery } from '../../api/queries.ts'

/** How many calls the user of the console can decide now. */
export function useOpenApprovals(): number {
  const { data } = useQuery(approvalsQuery)
  return data?.approvals.filter(({ mayDecide }) => mayDecide).length ?? 0
}

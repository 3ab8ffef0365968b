import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ApprovalReport } from '../../api/contract.ts'
import { approvalsQuery } from '../../api/queries.ts'

const NONE: readonly ApprovalReport[] = []

/** Calls that the user of the console can decide now. */
export function useOpenApprovals(): readonly ApprovalReport[] {
  const { data } = useQuery(approvalsQuery)
  return useMemo(() => data?.approvals.filter(({ mayDecide }) => mayDecide) ?? NONE, [data])
}

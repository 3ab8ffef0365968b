import { useMutation } from '@tanstack/react-query'
import { Check, X } from 'lucide-react'
import { useId } from 'react'
import { call } from '../../api/call.ts'
import type { ApprovalReport } from '../../api/contract.ts'
import { keep, useKept } from '../../api/kept.ts'
import { approvalsQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'
import styles from './approvals-page.module.css'

export function Decide({ approval: { id, name } }: { approval: ApprovalReport }) {
  const slot = `reason ${id}`
  const [reason, setReason] = useKept(slot, () => '')
  const field = useId()
  const decide = useMutation({
    mutationFn: (approved: boolean) =>
      call('decideApproval', {
        params: { id },
        body: { approved, ...(reason.trim() !== '' && { reason: reason.trim() }) },
      }),
    onSuccess: ({ state }) => {
      keep(slot, undefined)
      notify(state === 'denied' ? 'The call was denied.' : 'The call was approved.')
    },
    onError: notifyError,
    onSettled: () => queryClient.invalidateQueries(approvalsQuery),
  })
  return (
    <p className={styles.head}>
      <label htmlFor={field}>Reason</label>
      <input
        id={field}
        className={styles.reason}
        value={reason}
        maxLength={1000}
        placeholder="told to the caller"
        onChange={(event) => setReason(event.target.value)}
      />
      <Button
        tone="primary"
        icon={Check}
        aria-label={`Approve ${name}`}
        disabled={decide.isPending}
        onClick={() => decide.mutate(true)}
      >
        Approve
      </Button>
      <Button
        tone="danger"
        icon={X}
        aria-label={`Deny ${name}`}
        disabled={decide.isPending}
        onClick={() => decide.mutate(false)}
      >
        Deny
      </Button>
    </p>
  )
}

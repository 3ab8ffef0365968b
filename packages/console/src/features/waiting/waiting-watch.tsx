import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { ApprovalReport } from '../../api/contract.ts'
import { setTitleMark } from '../../ui/layout/page-title.ts'
import { useOpenApprovals } from '../approvals/use-approvals.ts'
import { notifyAway } from './notifications.ts'
import { inWords, useWaiting } from './use-waiting.ts'

/** Counts calls that wait for a person in the title of the tab, and tells of new ones. It shows nothing itself. */
export function WaitingWatch() {
  const calls = useWaiting()
  const approvals = useOpenApprovals()
  const navigate = useNavigate()
  const known = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const all = [
      ...calls.map((call) => ({
        tag: `call ${call.id}`,
        title: 'Gantry: an answer is needed',
        text: inWords(call),
        onClick: () => void navigate({ to: '/waiting' }),
      })),
      ...approvals.map((approval) => ({
        tag: `approval ${approval.id}`,
        title: 'Gantry: an approval is needed',
        text: requestInWords(approval),
        onClick: () => void navigate({ to: '/approvals', search: { id: approval.id } }),
      })),
    ]
    setTitleMark(all.length === 0 ? '' : `(${all.length}) `)
    for (const one of all) if (!known.current.has(one.tag)) notifyAway(one)
    known.current = new Set(all.map(({ tag }) => tag))
  }, [calls, approvals, navigate])
  return null
}

/** `key ops wants to use refund of bank` */
function requestInWords({ caller, name, target }: ApprovalReport): string {
  return `${caller ?? 'A caller without credentials'} wants to use ${name} of ${target}`
}

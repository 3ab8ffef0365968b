import { useMutation } from '@tanstack/react-query'
import { Play, RefreshCw, RotateCw, Square } from 'lucide-react'
import { call } from '../../api/call.ts'
import type { TargetAction, TargetCard } from '../../api/contract.ts'
import { applyEvent } from '../../api/live.ts'
import { Button } from '../../ui/controls/button.tsx'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'
import { SignIn } from './sign-in.tsx'

const DONE = { start: 'started', stop: 'stopped', restart: 'restarted', refresh: 'asked anew' }

export function TargetActions({ target }: { target: TargetCard }) {
  const { mutate, isPending } = useMutation({
    mutationFn: (action: TargetAction['action']) =>
      call('targetAction', { params: { name: target.name }, body: { action } }),
    onSuccess: (card, action) => {
      applyEvent({ type: 'target', target: card, at: Date.now() })
      notify(`${target.name} was ${DONE[action]}.`)
    },
    onError: notifyError,
  })
  const isStopped = target.state === 'stopped' || target.state === 'idle'
  return (
    <>
      <Button icon={RefreshCw} disabled={isPending || isStopped} onClick={() => mutate('refresh')}>
        Refresh lists
      </Button>
      {target.state === 'needs-auth' && <SignIn name={target.name} />}
      {isStopped ? (
        <Button icon={Play} disabled={isPending} onClick={() => mutate('start')}>
          Start
        </Button>
      ) : (
        <>
          <Button
            icon={RotateCw}
            disabled={isPending || target.state === 'disabled'}
            onClick={() => mutate('restart')}
          >
            Restart
          </Button>
          <Button
            icon={Square}
            disabled={isPending || target.state === 'disabled'}
            onClick={() => mutate('stop')}
          >
            Stop
          </Button>
        </>
      )}
    </>
  )
}

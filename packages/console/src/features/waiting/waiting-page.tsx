import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Square } from 'lucide-react'
import { call } from '../../api/call.ts'
import { escapeControls, type WaitingCall } from '../../api/contract.ts'
import { waitingQuery } from '../../api/queries.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'
import { Notify } from './notify.tsx'
import styles from './waiting-page.module.css'

/** Calls that cannot go on until a person has answered. */
export function WaitingPage() {
  const { data, error } = useQuery(waitingQuery)
  return (
    <Page
      title="Waiting"
      lead="Calls that go on when a person has answered what their server asked."
      actions={<Notify />}
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={3} />}
      {data?.calls.length === 0 && (
        <Card>
          <Empty title="Nothing waits for an answer">
            When a server asks a question in the middle of a call, the call shows here, no matter who made it.
          </Empty>
        </Card>
      )}
      {data && data.calls.length > 0 && (
        <ul className={styles.calls} aria-label="Calls that wait">
          {data.calls.map((one) => (
            <Waiting key={`${one.id} ${one.since}`} waiting={one} />
          ))}
        </ul>
      )}
    </Page>
  )
}

function Waiting({ waiting }: { waiting: WaitingCall }) {
  const { id, since, name, method, target, client, questions } = waiting
  return (
    <li className={styles.call}>
      <p className={styles.head}>
        {target !== undefined && (
          <Link to="/targets/$name" params={{ name: target }}>
            {target}
          </Link>
        )}
        <span>asks</span>
        <strong>{waiting.call === undefined ? escapeControls(client.name ?? 'a client') : 'you'}</strong>
        {client.principal !== undefined && <Badge>{client.principal}</Badge>}
        <span className={styles.muted}>
          in <code>{escapeControls(name ?? method)}</code>, <Ago at={since} />
        </span>
      </p>
      <ul>
        {questions.map(({ method: asked, message }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: questions have no other name
          <li key={index} className={styles.question}>
            {message ?? <code>{asked}</code>}
          </li>
        ))}
      </ul>
      <p className={styles.head}>
        {waiting.call === undefined ? (
          <span className={styles.muted}>Only the client that made the call can answer.</span>
        ) : (
          <Link to="/playground" search={{ call: waiting.call }}>
            Answer
          </Link>
        )}
        <Link to="/wire" search={{ id: String(id) }}>
          Show the exchange
        </Link>
        {waiting.call !== undefined && <Cancel id={waiting.call} />}
      </p>
    </li>
  )
}

function Cancel({ id }: { id: string }) {
  const cancel = useMutation({
    mutationFn: () => call('cancelCall', { params: { id } }),
    onSuccess: () => notify('The call was cancelled.'),
    onError: notifyError,
  })
  return (
    <Button icon={Square} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel the call
    </Button>
  )
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Unplug, X } from 'lucide-react'
import { call } from '../../api/call.ts'
import type { ClientRow, InFlightCall } from '../../api/contract.ts'
import { clientsQuery, queryClient } from '../../api/queries.ts'
import { Badge, EraBadge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatDuration, plural } from '../../ui/format.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Ago, useNow } from '../../ui/time.tsx'
import { notify, notifyError } from '../../ui/toasts.tsx'
import styles from './clients-page.module.css'

export function ClientsPage() {
  const { data, error } = useQuery(clientsQuery)
  return (
    <Page title="Clients" lead="Who uses this gateway, and what they wait for.">
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={3} height="5rem" />}
      {data?.clients.length === 0 && (
        <Empty title="Nobody is connected" action={<Link to="/">How to connect a client</Link>}>
          Clients with sessions show while they are connected, others for some minutes after a request.
        </Empty>
      )}
      <ul className={styles.list}>
        {data?.clients.map((client) => (
          <li key={client.id}>
            <Client client={client} />
          </li>
        ))}
      </ul>
    </Page>
  )
}

function Client({ client }: { client: ClientRow }) {
  const disconnect = useMutation({
    mutationFn: () => call('disconnectClient', { params: { id: client.id } }),
    onSuccess: () => {
      notify('The client was disconnected.')
      return queryClient.invalidateQueries({ queryKey: ['clients'] })
    },
    onError: notifyError,
  })
  const name = client.info?.title ?? client.info?.name ?? 'A client without a name'
  return (
    <Card
      title={`${name} ${client.info?.version ?? ''}`}
      actions={
        client.canDisconnect && (
          <Button icon={Unplug} disabled={disconnect.isPending} onClick={() => disconnect.mutate()}>
            Disconnect
          </Button>
        )
      }
    >
      <div className={styles.client}>
        <p className={styles.facts}>
          <EraBadge era={client.era} revision={client.revision} />
          <Badge>{client.kind}</Badge>
          {client.principal !== undefined && <Badge>{client.principal}</Badge>}
          <span>
            {client.target === undefined ? 'all targets' : `only ${client.target}`} · first seen{' '}
            <Ago at={client.since} /> · last seen <Ago at={client.lastSeen} />
          </span>
          <Link to="/wire" search={{ filter: `client:${JSON.stringify(client.info?.name ?? '')}` }}>
            {plural(client.requests, 'request')}
          </Link>
        </p>
        {client.inFlight.length > 0 && (
          <ul className={styles.calls} aria-label="Requests in flight">
            {client.inFlight.map((one) => (
              <InFlight key={one.id} one={one} />
            ))}
          </ul>
        )}
        <details>
          <summary>Capabilities</summary>
          <JsonTree value={client.capabilities} open={3} />
        </details>
      </div>
    </Card>
  )
}

function InFlight({ one }: { one: InFlightCall }) {
  const now = useNow()
  const cancel = useMutation({
    mutationFn: () => call('cancelExchange', { params: { id: one.id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['clients'] }),
    onError: notifyError,
  })
  return (
    <li>
      <Link to="/wire" search={{ id: String(one.id) }}>
        {one.method} {one.name}
      </Link>
      {one.target !== undefined && <span className={styles.muted}>→ {one.target}</span>}
      <span className={styles.muted}>{formatDuration(Math.max(one.elapsed, now - one.startedAt))}</span>
      <IconButton
        label={`Cancel ${one.name ?? one.method}`}
        icon={X}
        disabled={cancel.isPending}
        onClick={() => cancel.mutate()}
      />
    </li>
  )
}

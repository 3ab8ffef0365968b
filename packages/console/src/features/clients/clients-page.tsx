import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Unplug, X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { ClientRow, InFlightCall } from '../../api/contract.ts'
import { May, useMay } from '../../api/may.tsx'
import { clientsQuery, queryClient } from '../../api/queries.ts'
import { writeJson } from '../../api/json.ts'
import { Badge, EraBadge } from '../../ui/signs/badge.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatDuration, plural } from '../../ui/text/format.ts'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Table } from '../../ui/table/table.tsx'
import { Ago, useNow } from '../../ui/text/time.tsx'
import { notify, notifyError } from '../../ui/signs/toasts.tsx'
import { COLUMNS, nameOf } from './client-columns.tsx'
import styles from './clients-page.module.css'

export function ClientsPage() {
  const { data, error } = useQuery(clientsQuery)
  const away = data?.clients.filter(({ connected }) => !connected) ?? []
  return (
    <Page title="Clients" lead="Who uses this gateway, and what they wait for.">
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={3} height="5rem" />}
      {data && data.clients.length === away.length && (
        <Empty title="Nobody is connected" action={<Link to="/">How to connect a client</Link>}>
          Clients with sessions show while they are connected, others for some minutes after a request.
        </Empty>
      )}
      <List label="Clients" clients={data?.clients.filter(({ connected }) => connected) ?? []} />
      {away.length > 0 && (
        <details>
          <summary>{plural(away.length, 'session')} without a connection</summary>
          <p className={styles.muted}>
            Nothing was heard of these clients for a minute. They may come back until their session ends.
          </p>
          <List label="Clients without a connection" clients={away} />
        </details>
      )}
    </Page>
  )
}

/** All of them in a table, and one of them in full: the one that was chosen, or that waits for something. */
function List({ label, clients }: { label: string; clients: readonly ClientRow[] }) {
  const [chosen, setChosen] = useState<string>()
  const shown =
    clients.find(({ id }) => id === chosen) ??
    clients.find(({ inFlight }) => inFlight.length > 0) ??
    clients[0]
  if (!shown) return null
  return (
    <div className={styles.list}>
      <Table
        label={label}
        rows={clients}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        selected={[shown.id]}
        onOpen={({ id }) => setChosen(id)}
      />
      <Client key={shown.id} client={shown} />
    </div>
  )
}

function Client({ client }: { client: ClientRow }) {
  const may = useMay()
  const disconnect = useMutation({
    mutationFn: () => call('disconnectClient', { params: { id: client.id } }),
    onSuccess: () => {
      notify('The client was disconnected.')
      return queryClient.invalidateQueries({ queryKey: ['clients'] })
    },
    onError: notifyError,
  })
  return (
    <Card
      title={nameOf(client)}
      actions={
        client.canDisconnect &&
        may('disconnectClient') && (
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
          <Link to="/wire" search={{ filter: `client:${writeJson(client.info?.name ?? '')}` }}>
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
      <May use="cancelExchange">
        <IconButton
          label={`Cancel ${one.name ?? one.method}`}
          icon={X}
          disabled={cancel.isPending}
          onClick={() => cancel.mutate()}
        />
      </May>
    </li>
  )
}

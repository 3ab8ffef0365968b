import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Pencil, RotateCcw, Square, X } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { JsonObject, WireDetail } from '../../api/contract.ts'
import { wireDetailQuery } from '../../api/queries.ts'
import { EraBadge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatDuration } from '../../ui/format.ts'
import { Failure, Notice } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Clock } from '../../ui/time.tsx'
import { notifyError } from '../../ui/toasts.tsx'
import { EditReplay } from './edit-replay.tsx'
import styles from './exchange.module.css'
import { ExportButton } from './export-button.tsx'
import { Messages } from './messages.tsx'
import { WireStatusBadge } from './status.tsx'
import { Waterfall } from './waterfall.tsx'

/** One exchange in full. */
export function Exchange({ id, onClose }: { id: number; onClose: () => void }) {
  const { data, error } = useQuery(wireDetailQuery(id))
  return (
    <section className={styles.exchange} aria-label={`Exchange ${id}`}>
      <header className={styles.header}>
        <h2>
          #{id} {data?.method} {data?.name !== undefined && <code>{data.name}</code>}
        </h2>
        {data && <WireStatusBadge status={data.status} />}
        <IconButton label="Close" icon={X} onClick={onClose} />
      </header>
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && <Content exchange={data} />}
    </section>
  )
}

function Content({ exchange }: { exchange: WireDetail }) {
  const { client, target } = exchange
  return (
    <>
      <p className={styles.facts}>
        <Clock at={exchange.at} />
        <span>{formatDuration(exchange.duration)}</span>
        <span>{client.name ?? 'a client without a name'}</span>
        <EraBadge era={client.revision >= '2026-07-28' ? 'modern' : 'legacy'} revision={client.revision} />
        {client.principal !== undefined && <span>{client.principal}</span>}
        {target !== undefined && (
          <Link to="/targets/$name" params={{ name: target }}>
            {target}
          </Link>
        )}
      </p>
      <Actions exchange={exchange} />
      {exchange.error !== undefined && (
        <Notice tone="bad" title={exchange.error}>
          {exchange.name !== undefined && (
            <Link to="/why" search={{ name: exchange.name }}>
              Why?
            </Link>
          )}
        </Notice>
      )}
      {exchange.hops.length === 0 ? (
        <Empty title="No messages were kept">
          Messages are kept only while somebody watches. It is recording now: make the call again, or replay
          it.
        </Empty>
      ) : (
        <>
          <Waterfall exchange={exchange} />
          <Messages exchange={exchange} />
        </>
      )}
    </>
  )
}

function Actions({ exchange }: { exchange: WireDetail }) {
  const navigate = useNavigate()
  const [isEditing, setEditing] = useState(false)
  const replay = useMutation({
    mutationFn: (params: JsonObject | undefined) =>
      call('replayExchange', { params: { id: exchange.id }, body: params === undefined ? {} : { params } }),
    onSuccess: ({ id }) => navigate({ to: '/playground', search: { call: id } }),
    onError: notifyError,
  })
  const cancel = useMutation({
    mutationFn: () => call('cancelExchange', { params: { id: exchange.id } }),
    onError: notifyError,
  })
  const params = paramsOf(exchange)
  return (
    <div className={styles.actions}>
      {exchange.status === 'running' && (
        <Button icon={Square} disabled={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel
        </Button>
      )}
      <Button
        icon={RotateCcw}
        disabled={replay.isPending || params === undefined}
        onClick={() => replay.mutate(undefined)}
      >
        Replay
      </Button>
      <Button icon={Pencil} disabled={params === undefined} onClick={() => setEditing(true)}>
        Edit and replay
      </Button>
      <ExportButton id={exchange.id} />
      {isEditing && params !== undefined && (
        <EditReplay
          method={exchange.method}
          params={params}
          isSending={replay.isPending}
          onSend={(edited) => replay.mutate(edited)}
          onClose={() => setEditing(false)}
        />
      )}
    </div>
  )
}

/** What the client sent, without what belongs to its connection. */
function paramsOf({ hops }: WireDetail): JsonObject | undefined {
  const first = hops.find(
    ({ hop, direction, type }) => hop === 'client' && direction === 'in' && type === 'request',
  )
  const message = first?.message
  if (message === null || typeof message !== 'object' || !('params' in message)) return first ? {} : undefined
  const { _meta, ...params } = message.params as JsonObject
  return params
}

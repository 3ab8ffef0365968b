import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Columns2, Pencil, RotateCcw, Square, X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { call } from '../../api/call.ts'
import type { JsonObject, WireDetail } from '../../api/contract.ts'
import { useMay } from '../../api/may.tsx'
import { EraBadge } from '../../ui/signs/badge.tsx'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatBytes, formatDuration } from '../../ui/text/format.ts'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Clock } from '../../ui/text/time.tsx'
import { notifyError } from '../../ui/signs/toasts.tsx'
import { useEscape } from '../../ui/hooks/use-escape.ts'
import { useIsHere } from '../../ui/hooks/use-is-here.ts'
import { clientOf, gatewayMs, milliseconds, nameOf } from './columns.tsx'
import { EditReplay } from './edit-replay.tsx'
import styles from './exchange.module.css'
import { ExportButton } from './files/export-button.tsx'
import { Messages } from './messages.tsx'
import { WireStatusBadge } from './status.tsx'
import { whoOf } from './timeline.tsx'
import { useExchange } from './use-exchange.ts'
import { Waterfall } from './waterfall.tsx'

interface Props {
  readonly id: number
  readonly onClose: () => void
  /** Asks for the other exchange of a comparison. */
  readonly onCompare: () => void
}

/** One exchange in full. */
export function Exchange({ id, onClose, onCompare }: Props) {
  const { data, error, isImported } = useExchange(id)
  const may = useMay()
  useEscape(onClose)
  return (
    <section className={styles.exchange} aria-label={`Exchange ${id}`}>
      <header className={styles.header}>
        <h2>
          #{id} {data?.method} {data?.name !== undefined && <code>{nameOf(data)}</code>}
        </h2>
        {data && <WireStatusBadge status={data.status} />}
        <IconButton label="Close" icon={X} onClick={onClose} />
      </header>
      {error !== null && <Failure error={error} />}
      {!data && error === null && <Skeleton lines={6} />}
      {data && (
        <Content exchange={data}>
          {(isImported || may('wireDetail')) && (
            <Actions exchange={data} isImported={isImported} onCompare={onCompare} />
          )}
        </Content>
      )}
    </section>
  )
}

function Content({ exchange, children }: { exchange: WireDetail; children: ReactNode }) {
  const { target } = exchange
  return (
    <>
      <p className={styles.facts}>
        <Clock at={exchange.at} />
        <span>
          {formatDuration(exchange.duration)}
          {exchange.targetDuration !== undefined &&
            ` (target ${milliseconds(exchange.targetDuration)} ms, gateway ${milliseconds(gatewayMs(exchange))} ms)`}
        </span>
        {exchange.bytes !== undefined && <span>{formatBytes(exchange.bytes)}</span>}
        {exchange.status !== 'refused' && <Caller exchange={exchange} />}
        {target !== undefined && (
          <Link to="/targets/$name" params={{ name: target }}>
            {target}
          </Link>
        )}
      </p>
      {children}
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
        <NoMessages exchange={exchange} />
      ) : (
        <>
          <Waterfall exchange={exchange} />
          <Messages exchange={exchange} />
        </>
      )}
    </>
  )
}

function Caller({ exchange }: { exchange: WireDetail }) {
  const { client } = exchange
  const era = client.revision >= '2026-07-28' ? 'modern' : 'legacy'
  return (
    <>
      <span>{client.name === undefined ? 'a client without a name' : clientOf(exchange)}</span>
      <EraBadge era={era} revision={client.revision} />
      {client.principal !== undefined && <span>{client.principal}</span>}
      <Link to="/wire" search={(old) => ({ ...old, view: 'timeline', who: whoOf(client) })}>
        Timeline of this {client.session === undefined ? 'client' : 'session'}
      </Link>
    </>
  )
}

interface ActionsProps {
  readonly exchange: WireDetail
  readonly isImported: boolean
  readonly onCompare: () => void
}

function Actions({ exchange, isImported, onCompare }: ActionsProps) {
  const navigate = useNavigate()
  const isHere = useIsHere()
  const [isEditing, setEditing] = useState(false)
  const replay = useMutation({
    mutationFn: (params: JsonObject | undefined) =>
      call('replayExchange', { params: { id: exchange.id }, body: params === undefined ? {} : { params } }),
    onSuccess: async ({ id }) => {
      if (isHere()) await navigate({ to: '/playground', search: { call: id } })
    },
    onError: notifyError,
  })
  const cancel = useMutation({
    mutationFn: () => call('cancelExchange', { params: { id: exchange.id } }),
    onError: notifyError,
  })
  const params = isImported || exchange.status === 'refused' ? undefined : paramsOf(exchange)
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
      <Button icon={Columns2} onClick={onCompare}>
        Compare
      </Button>
      {!isImported && <ExportButton id={exchange.id} />}
      {isEditing && params !== undefined && (
        <EditReplay
          id={exchange.id}
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

function NoMessages({ exchange }: { exchange: WireDetail }) {
  const may = useMay()
  if (!may('wireDetail'))
    return (
      <Empty title="Messages are for operators">Your role shows who called what, and how it ended.</Empty>
    )
  if (exchange.status === 'refused')
    return (
      <Empty title="The server asked, and got no answer">
        The reason above is what the server was told. The calls that were under way show what happened around
        it.
      </Empty>
    )
  return (
    <Empty title="No messages were kept">
      Messages are kept while this view is open, and of calls that fail. It is recording now: make the call
      again.
    </Empty>
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

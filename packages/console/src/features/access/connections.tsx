import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { ConnectionRow } from '../../api/contract.ts'
import { useMay } from '../../api/may.tsx'
import { connectionsQuery, queryClient } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { Badge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Ago, Until } from '../../ui/text/time.tsx'
import styles from './access.module.css'

/** The accounts that people have connected at targets. */
export function Connections() {
  const { data, error } = useQuery(connectionsQuery)
  const may = useMay()
  const [ending, setEnding] = useState<ConnectionRow>()
  if (error) return <Failure error={error} />
  if (!data) return <Skeleton lines={4} />
  const { connections, total } = data
  return (
    <div className={styles.part}>
      <p>
        Accounts that people use targets with, and nobody else. They connect them at <code>/connect</code>.
        Credentials are never shown.
      </p>
      {total > connections.length && (
        <p className={styles.muted}>
          The newest {formatCount(connections.length)} of {formatCount(total)} are shown;{' '}
          <code>gantry connections list</code> has all.
        </p>
      )}
      {connections.length === 0 ? (
        <Empty title="Nobody has connected an account">
          Targets with <code>credentials: user</code> are used with the account of each person.
        </Empty>
      ) : (
        <Table
          label="Connections"
          rows={connections}
          columns={columnsFor(may('removeConnection') ? setEnding : undefined)}
          keyOf={({ id }) => id}
        />
      )}
      {ending && <Disconnect row={ending} onClose={() => setEnding(undefined)} />}
    </div>
  )
}

function Disconnect({ row, onClose }: { row: ConnectionRow; onClose: () => void }) {
  const disconnect = useMutation({
    mutationFn: () => call('removeConnection', { params: { id: row.id } }),
    onSuccess: () => {
      notify(`The account of ${row.as} at ${row.target} was disconnected.`, 'ok')
      onClose()
      return queryClient.invalidateQueries(connectionsQuery)
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Disconnect ${row.as} from ${row.target}?`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button tone="danger" disabled={disconnect.isPending} onClick={() => disconnect.mutate()}>
            Disconnect
          </Button>
        </>
      }
    >
      {disconnect.error && <Failure error={disconnect.error} />}
      <p>The account is revoked where the server can do that, and forgotten; what it has open ends.</p>
    </Dialog>
  )
}

function columnsFor(onEnd: ((row: ConnectionRow) => void) | undefined): readonly Column<ConnectionRow>[] {
  return [
    {
      id: 'person',
      title: 'Person',
      width: 'minmax(9rem, 2fr)',
      narrow: 'main',
      sortBy: ({ as }) => as,
      cell: ({ as }) => <code>{as}</code>,
    },
    { id: 'issuer', title: 'Issuer', sortBy: ({ issuer }) => issuer, cell: ({ issuer }) => issuer ?? '–' },
    {
      id: 'target',
      title: 'Target',
      sortBy: ({ target }) => target,
      cell: ({ target, inUse }) =>
        inUse ? (
          <Link to="/targets/$name" params={{ name: target }}>
            {target}
          </Link>
        ) : (
          <span>
            {target} <Badge tone="warn">not configured any more</Badge>
          </span>
        ),
    },
    { id: 'by', title: 'By', width: '5rem', sortBy: ({ by }) => by, cell: ({ by }) => by },
    {
      id: 'connected',
      title: 'Connected',
      width: '8rem',
      isNumber: true,
      sortBy: ({ connectedAt }) => connectedAt,
      cell: ({ connectedAt }) => <Ago at={connectedAt} />,
    },
    {
      id: 'ends',
      title: 'Ends',
      width: '8rem',
      isNumber: true,
      sortBy: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt }) => (expiresAt === undefined ? 'when removed' : <Until at={expiresAt} />),
    },
    {
      id: 'used',
      title: 'Last used',
      width: '8rem',
      isNumber: true,
      narrow: 'aside',
      sortBy: ({ usedAt }) => usedAt,
      cell: ({ usedAt }) => (usedAt === undefined ? 'not yet' : <Ago at={usedAt} />),
    },
    ...(onEnd
      ? [
          {
            id: 'do',
            title: 'End it',
            width: '9rem',
            cell: (row: ConnectionRow) => <Button onClick={() => onEnd(row)}>Disconnect…</Button>,
          },
        ]
      : []),
  ]
}

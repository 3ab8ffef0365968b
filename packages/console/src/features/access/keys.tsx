import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Access, AccessKey } from '../../api/contract.ts'
import { useMay } from '../../api/may.tsx'
import { queryClient } from '../../api/queries.ts'
import { Bar } from '../../ui/layout/bar.tsx'
import { Badge } from '../../ui/signs/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Failure } from '../../ui/signs/notice.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { notify } from '../../ui/signs/toasts.tsx'
import { AddKey } from './add-key.tsx'
import { ToConfiguration } from '../configuration/to-configuration.tsx'
import styles from './access.module.css'

/** Keys of the file and of the store. Those of the store are made and revoked here. */
export function Keys({ access }: { access: Access }) {
  const { keys, acceptingKeys } = access
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const [ending, setEnding] = useState<string>()
  return (
    <>
      <Bar>
        <h2>Keys</h2>
        {acceptingKeys && may('addKey') && (
          <Button icon={KeyRound} onClick={() => setAdding(true)}>
            Make a key…
          </Button>
        )}
      </Bar>
      {!acceptingKeys && (
        <p className={styles.muted}>
          With <code>auth.keys: true</code> in the <ToConfiguration>configuration</ToConfiguration>, keys can
          be made and revoked here.
        </p>
      )}
      {keys.length > 0 && (
        <Table
          label="Keys"
          rows={keys}
          columns={columnsFor(may('revokeKey') ? setEnding : undefined)}
          keyOf={({ name, from }) => `${from} ${name}`}
        />
      )}
      {isAdding && <AddKey access={access} onClose={() => setAdding(false)} />}
      {ending !== undefined && <Revoke name={ending} onClose={() => setEnding(undefined)} />}
    </>
  )
}

function Revoke({ name, onClose }: { name: string; onClose: () => void }) {
  const revoke = useMutation({
    mutationFn: () => call('revokeKey', { params: { name } }),
    onSuccess: async () => {
      notify(`The key “${name}” was revoked.`, 'ok')
      onClose()
      await queryClient.invalidateQueries({ queryKey: ['access'] })
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Revoke the key “${name}”?`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button tone="danger" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        </>
      }
    >
      {revoke.error && <Failure error={revoke.error} />}
      <p>Clients that use it are turned away at once, and what they have open ends.</p>
    </Dialog>
  )
}

const STATES = { active: undefined, expired: 'expired', 'not-accepted': 'not accepted' }

function columnsFor(onRevoke: ((name: string) => void) | undefined): readonly Column<AccessKey>[] {
  return [
    {
      id: 'key',
      title: 'Key',
      width: 'minmax(8rem, 1fr)',
      narrow: 'main',
      sortBy: ({ name }) => name,
      cell: ({ name, state }) => (
        <span>
          <code>{name}</code> {STATES[state] && <Badge tone="warn">{STATES[state]}</Badge>}
        </span>
      ),
    },
    { id: 'from', title: 'From', sortBy: ({ from }) => from, cell: ({ from }) => from },
    { id: 'scopes', title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') || '–' },
    {
      id: 'views',
      title: 'Opens',
      cell: ({ views }) => views.map((view) => `/mcp/${view}`).join(', ') || 'all',
    },
    {
      id: 'requests',
      title: 'Requests',
      width: '6rem',
      isNumber: true,
      sortBy: ({ requests }) => requests,
      cell: ({ requests }) => formatCount(requests),
    },
    {
      id: 'last',
      title: 'Last used',
      width: '7.5rem',
      isNumber: true,
      narrow: 'aside',
      sortBy: lastUse,
      cell: (key) => {
        const at = lastUse(key)
        return at === undefined ? 'not yet' : <Ago at={at} />
      },
    },
    {
      id: 'do',
      title: 'Look',
      width: '12rem',
      cell: ({ name, from }) => (
        <Bar>
          <Link to="/access" search={{ tab: 'seen', as: `key:${name}` }}>
            What it sees
          </Link>
          {from === 'store' && onRevoke && <Button onClick={() => onRevoke(name)}>Revoke…</Button>}
        </Bar>
      ),
    },
  ]
}

function lastUse({ lastSeen, lastUsedAt }: AccessKey): number | undefined {
  const times = [lastSeen, lastUsedAt].filter((at) => at !== undefined)
  return times.length > 0 ? Math.max(...times) : undefined
}

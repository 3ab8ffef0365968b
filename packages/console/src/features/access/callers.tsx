import { Link } from '@tanstack/react-router'
import type { Access, AccessCaller } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { ToConfiguration } from '../configuration/to-configuration.tsx'
import styles from './access.module.css'
import { Keys } from './keys.tsx'

/** Keys, issuers, and who has called. */
export function Callers({ access }: { access: Access }) {
  const { required, issuers, callers } = access
  return (
    <div className={styles.part}>
      <p>
        {required ? (
          <>Callers need a key{issuers.length > 0 && ' or a token'}.</>
        ) : (
          <>
            <Badge tone="warn">open</Badge> Everybody who reaches the port comes in. <code>auth</code> in the{' '}
            <ToConfiguration>configuration</ToConfiguration> asks for keys or tokens.
          </>
        )}
        {issuers.map(({ issuer, scopes }) => (
          <span key={issuer}>
            {' '}
            Tokens of <code>{issuer}</code>
            {scopes.length > 0 && <> with {scopes.join(', ')}</>} are taken.
          </span>
        ))}
      </p>
      <h2>Who has called</h2>
      {callers.length === 0 ? (
        <Empty title="Nobody has called yet">Callers show here with their first request.</Empty>
      ) : (
        <Table
          label="Callers"
          rows={callers}
          columns={CALLERS}
          keyOf={({ as = '', issuer = '' }) => `${issuer} ${as}`}
        />
      )}
      <Keys access={access} />
    </div>
  )
}

const CALLERS: readonly Column<AccessCaller>[] = [
  {
    id: 'caller',
    title: 'Caller',
    width: 'minmax(9rem, 2fr)',
    narrow: 'main',
    sortBy: ({ as }) => as,
    cell: ({ as }) => (as === undefined ? 'without credentials' : <code>{as}</code>),
  },
  {
    id: 'issuer',
    title: 'Issuer',
    sortBy: ({ issuer }) => issuer,
    cell: ({ issuer }) => issuer ?? '–',
  },
  { id: 'clients', title: 'Clients', cell: ({ clients }) => clients.join(', ') },
  {
    id: 'requests',
    title: 'Requests',
    width: '7rem',
    isNumber: true,
    sortBy: ({ requests }) => requests,
    cell: ({ requests }) => formatCount(requests),
  },
  {
    id: 'last',
    title: 'Last seen',
    width: '8rem',
    isNumber: true,
    narrow: 'aside',
    sortBy: ({ lastSeen }) => lastSeen,
    cell: ({ lastSeen }) => <Ago at={lastSeen} />,
  },
  {
    id: 'see',
    title: 'Look',
    width: '10rem',
    cell: ({ as, issuer }) => (
      <Link to="/access" search={{ tab: 'seen', ...(as && { as }), ...(issuer && { issuer }) }}>
        What it sees
      </Link>
    ),
  },
]

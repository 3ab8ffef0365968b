import { escapeControls, type ClientRow } from '../../api/contract.ts'
import { formatCount } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Ago } from '../../ui/text/time.tsx'

/** As it calls itself, with all signs in sight: one that turns the text around would make it look like another. */
export function nameOf({ info }: ClientRow): string {
  return escapeControls(info?.title ?? info?.name ?? 'A client without a name')
}

export const COLUMNS: readonly Column<ClientRow>[] = [
  {
    id: 'client',
    title: 'Client',
    width: 'minmax(8rem, 2fr)',
    narrow: 'main',
    sortBy: nameOf,
    cell: (client) => <span>{`${nameOf(client)} ${escapeControls(client.info?.version ?? '')}`}</span>,
  },
  {
    id: 'revision',
    title: 'Revision',
    width: '7.5rem',
    sortBy: ({ revision }) => revision,
    cell: ({ revision }) => revision,
  },
  { id: 'way', title: 'Way', width: '7.5rem', sortBy: ({ kind }) => kind, cell: ({ kind }) => kind },
  {
    id: 'principal',
    title: 'Who',
    sortBy: ({ principal }) => principal,
    cell: ({ principal }) => <span>{principal ?? 'anybody'}</span>,
  },
  {
    id: 'target',
    title: 'Uses',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span>{target === undefined ? 'all targets' : `only ${target}`}</span>,
  },
  {
    id: 'seen',
    title: 'Last seen',
    width: '7rem',
    isNumber: true,
    sortBy: ({ lastSeen }) => lastSeen,
    cell: ({ lastSeen }) => <Ago at={lastSeen} />,
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
    id: 'in-flight',
    title: 'In flight',
    width: '5.5rem',
    narrow: 'aside',
    isNumber: true,
    sortBy: ({ inFlight }) => inFlight.length,
    cell: ({ inFlight }) => (inFlight.length === 0 ? '' : formatCount(inFlight.length)),
  },
]

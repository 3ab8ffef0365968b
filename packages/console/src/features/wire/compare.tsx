import { X } from 'lucide-react'
import type { WireDetail } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import { IconButton } from '../../ui/controls/button.tsx'
import { formatBytes, formatTime } from '../../ui/text/format.ts'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import { useEscape } from '../../ui/hooks/use-escape.ts'
import { clientOf, gatewayMs, milliseconds, nameOf } from './columns.tsx'
import styles from './compare.module.css'
import { useExchange } from './use-exchange.ts'
import { Waterfall } from './waterfall.tsx'

interface Props {
  readonly ids: readonly [number, number]
  readonly onClose: () => void
}

/** Two exchanges side by side: what differs, where the time went, and what was sent. */
export function Compare({ ids: [left, right], onClose }: Props) {
  const one = useExchange(left)
  const other = useExchange(right)
  useEscape(onClose)
  return (
    <section className={styles.compare} aria-label={`Exchanges ${left} and ${right}`}>
      <header className={styles.header}>
        <h2>
          #{left} and #{right}
        </h2>
        <IconButton label="Close" icon={X} onClick={onClose} />
      </header>
      {one.error !== null && <Failure error={one.error} />}
      {other.error !== null && <Failure error={other.error} />}
      {one.data && other.data && <Sides one={one.data} other={other.data} />}
    </section>
  )
}

function Sides({ one, other }: { one: WireDetail; other: WireDetail }) {
  const facts = FACTS.map(([title, read]): Fact => ({ title, values: [read(one), read(other)] }))
  return (
    <>
      <Table label="Facts" rows={facts} columns={columnsOf(one, other)} keyOf={({ title }) => title} wraps />
      <div className={styles.sides}>
        {[one, other].map((exchange) => (
          <div key={exchange.id} className={styles.side}>
            <h3>
              #{exchange.id} <code>{nameOf(exchange)}</code>
            </h3>
            <Waterfall exchange={exchange} />
            {exchange.hops
              .filter(({ hop, type }) => hop === 'client' && type !== 'notification')
              .map((message) => (
                <article key={message.seq} aria-label={message.method ?? message.type}>
                  <h4>{message.method ?? message.type}</h4>
                  <JsonTree value={message.message} open={4} folded="_meta" />
                </article>
              ))}
            {exchange.hops.length === 0 && <p>No messages were kept.</p>}
          </div>
        ))}
      </div>
    </>
  )
}

interface Fact {
  readonly title: string
  readonly values: readonly [string, string]
}

const FACTS: readonly [string, (exchange: WireDetail) => string][] = [
  ['Time', ({ at }) => formatTime(at)],
  ['Client', clientOf],
  ['Revision', ({ client }) => client.revision],
  ['Target', ({ target }) => target ?? 'gateway'],
  ['Tool', nameOf],
  ['Status', ({ status }) => status],
  ['Total ms', ({ duration }) => milliseconds(duration)],
  ['Target ms', ({ targetDuration }) => milliseconds(targetDuration)],
  ['Gateway ms', (exchange) => milliseconds(gatewayMs(exchange))],
  ['Bytes', ({ bytes }) => formatBytes(bytes)],
  ['Messages', ({ hops }) => String(hops.length)],
  ['Error', ({ error }) => error ?? '–'],
]

function columnsOf(one: WireDetail, other: WireDetail): readonly Column<Fact>[] {
  const side = (exchange: WireDetail, index: 0 | 1): Column<Fact> => ({
    id: String(index),
    title: `#${exchange.id}`,
    width: 'minmax(0, 2fr)',
    cell: ({ values }) => values[index],
  })
  return [
    { id: 'fact', title: 'Fact', width: '7.5rem', narrow: 'main', cell: ({ title }) => title },
    side(one, 0),
    side(other, 1),
    {
      id: 'differs',
      title: 'Differs',
      width: '5.5rem',
      narrow: 'aside',
      cell: ({ values: [a, b] }) => (a === b ? null : <Badge tone="warn">differs</Badge>),
    },
  ]
}

import type { WireDetail } from '../../api/contract.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { clientOf } from './columns.tsx'
import { toSpans, type Span } from './spans.ts'
import styles from './waterfall.module.css'

/** When each request ran, on which hop. */
export function Waterfall({ exchange }: { exchange: WireDetail }) {
  const spans = toSpans(exchange.hops)
  const last = exchange.hops.at(-1)?.offset ?? 0
  const total = Math.max(exchange.duration ?? last, last, 0.5)
  return (
    <section className={styles.waterfall} aria-label={`Waterfall of exchange ${exchange.id}`}>
      {spans.map((span) => (
        <a
          key={span.seq}
          className={styles.row}
          href={`#message-${span.seq}`}
          onClick={(event) => show(event, span.seq)}
        >
          <span className={styles.title}>
            <code>{span.title}</code> <span className={styles.hop}>{route(span, exchange)}</span>
          </span>
          <span className={styles.track}>
            <span
              className={`${styles.bar} ${styles[span.hop]} ${span.failed ? styles.failed : ''} ${span.isRequest ? '' : styles.dot}`}
              style={{
                left: `${Math.min((span.from / total) * 100, 99)}%`,
                width: span.isRequest
                  ? `${Math.max((((span.to ?? total) - span.from) / total) * 100, 0.8)}%`
                  : undefined,
              }}
            />
          </span>
          <span className={styles.time}>
            {span.isRequest
              ? formatDuration((span.to ?? total) - span.from)
              : `at ${formatDuration(span.from)}`}
          </span>
        </a>
      ))}
    </section>
  )
}

function route({ hop, direction }: Span, exchange: WireDetail): string {
  const other = hop === 'client' ? clientOf(exchange) : (exchange.target ?? 'target')
  return direction === 'in' ? `${other} → gateway` : `gateway → ${other}`
}

/** Without touching the address, which says which exchange is open. */
function show(event: React.MouseEvent, seq: number): void {
  event.preventDefault()
  const message = document.getElementById(`message-${seq}`)
  message?.scrollIntoView({ block: 'center' })
  message?.focus({ preventScroll: true })
}

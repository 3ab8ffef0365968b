import { Link } from '@tanstack/react-router'
import type { TargetCard } from '../../api/contract.ts'
import { Badge, EraBadge } from '../../ui/signs/badge.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../../ui/text/format.ts'
import { Rich } from '../../ui/text/rich.tsx'
import { isOff, StateBadge, StateDot } from '../../ui/signs/state.tsx'
import { Until } from '../../ui/text/time.tsx'
import { TrafficChart } from '../../ui/signs/traffic-chart.tsx'
import styles from './target-card.module.css'

export function TargetCardView({ card }: { card: TargetCard }) {
  return (
    <article className={styles.card} aria-label={card.name}>
      <header className={styles.header}>
        <StateDot state={card.state} />
        <h2>
          <Link to="/targets/$name" params={{ name: card.name }}>
            {card.title ?? card.name}
          </Link>
        </h2>
        <StateBadge state={card.state} />
      </header>
      <p className={styles.what} title={card.what}>
        {card.what}
      </p>
      <p className={styles.badges}>
        <EraBadge era={card.era} revision={card.revision} />
        <Badge>{card.transport ?? card.kind}</Badge>
        {card.stale && <Badge tone="warn">lists from earlier</Badge>}
        {card.isolatesByItself && <Badge>a connection per session</Badge>}
        {card.restarts > 0 && <Badge tone="warn">{plural(card.restarts, 'restart')}</Badge>}
      </p>
      {card.problem ? (
        <Problem card={card} isCalm={isOff(card.state)} />
      ) : (
        <TrafficChart traffic={card.stats.traffic} />
      )}
      <dl className={styles.figures}>
        <Figure name="tools" value={formatCount(card.counts.tools)} />
        <Figure name="tokens" value={`~${formatCount(card.counts.tokens)}`} />
        <Figure name="p50" value={formatDuration(card.stats.p50)} />
        <Figure name="p95" value={formatDuration(card.stats.p95)} />
        <Figure name="failed" value={formatPercent(card.stats.errorRate)} />
        {card.usage && <Figure name="memory" value={formatBytes(card.usage.rss)} />}
      </dl>
    </article>
  )
}

function Problem({ card: { problem, retryAt, name }, isCalm }: { card: TargetCard; isCalm: boolean }) {
  return (
    <div className={isCalm ? styles.off : styles.problem}>
      <p>
        <Rich text={problem!.what} />
      </p>
      {problem!.fix && (
        <p>
          <b>Fix:</b> <Rich text={problem!.fix} />
        </p>
      )}
      <p className={styles.links}>
        {retryAt !== undefined && (
          <span>
            Next try <Until at={retryAt} />
          </span>
        )}
        <Link to="/why" search={{ name }}>
          Why?
        </Link>
      </p>
    </div>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

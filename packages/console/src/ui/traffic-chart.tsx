import type { TrafficBucket } from '../api/contract.ts'
import { formatCount, formatTime } from './format.ts'
import styles from './traffic-chart.module.css'

interface Props {
  readonly traffic: readonly TrafficBucket[]
  readonly height?: number
  /** Without scale and times. */
  readonly small?: boolean
}

/** Calls in buckets of ten seconds, the failed part of each in another colour. */
export function TrafficChart({ traffic, height = 120, small = false }: Props) {
  const most = Math.max(small ? 1 : 4, ...traffic.map(({ calls }) => calls))
  const calls = traffic.reduce((sum, bucket) => sum + bucket.calls, 0)
  const errors = traffic.reduce((sum, bucket) => sum + bucket.errors, 0)
  const first = traffic[0]
  return (
    <figure className={small ? styles.chart : styles.large}>
      <svg
        viewBox={`0 0 ${Math.max(traffic.length, 1) * 10} ${height}`}
        preserveAspectRatio="none"
        height={small ? height : undefined}
        role="img"
        aria-label={`${formatCount(calls)} calls in the last ten minutes, ${formatCount(errors)} failed`}
      >
        {!small &&
          [0.25, 0.5, 0.75, 1].map((part) => (
            <line
              key={part}
              className={styles.grid}
              x1="0"
              x2="100%"
              y1={height * (1 - part) + 0.5}
              y2={height * (1 - part) + 0.5}
            />
          ))}
        {traffic.map((bucket, index) => (
          <Bar key={bucket.at} bucket={bucket} x={index * 10} scale={(height - 1) / most} height={height} />
        ))}
      </svg>
      {!small && (
        <figcaption>
          <span>{first ? formatTime(first.at).slice(-8, -3) : ''}</span>
          <span>{calls === 0 ? 'no calls yet' : `at most ${formatCount(most)} calls in 10 s`}</span>
          <span>now</span>
        </figcaption>
      )}
    </figure>
  )
}

function Bar({
  bucket,
  x,
  scale,
  height,
}: {
  bucket: TrafficBucket
  x: number
  scale: number
  height: number
}) {
  const good = (bucket.calls - bucket.errors) * scale
  const bad = bucket.errors * scale
  return (
    <g>
      <title>{`${formatTime(bucket.at)}: ${bucket.calls} calls, ${bucket.errors} failed`}</title>
      {good > 0 && <rect className={styles.good} x={x + 1} y={height - good} width="8" height={good} />}
      {bad > 0 && <rect className={styles.bad} x={x + 1} y={height - good - bad} width="8" height={bad} />}
    </g>
  )
}

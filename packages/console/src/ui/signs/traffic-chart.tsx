import type { TrafficBucket } from '../../api/contract.ts'
import { formatCount, formatTime } from '../text/format.ts'
import styles from './traffic-chart.module.css'

const HEIGHT = 28

/** Calls of the last ten minutes, small and without axes; the failed part of each bar in another colour. */
export function TrafficChart({ traffic }: { traffic: readonly TrafficBucket[] }) {
  const most = Math.max(1, ...traffic.map(({ calls }) => calls))
  const calls = traffic.reduce((sum, bucket) => sum + bucket.calls, 0)
  const errors = traffic.reduce((sum, bucket) => sum + bucket.errors, 0)
  return (
    <figure className={styles.chart}>
      <svg
        viewBox={`0 0 ${Math.max(traffic.length, 1) * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        height={HEIGHT}
        role="img"
        aria-label={`${formatCount(calls)} calls in the last ten minutes, ${formatCount(errors)} failed`}
      >
        {traffic.map((bucket, index) => (
          <Bar key={bucket.at} bucket={bucket} x={index * 10} scale={(HEIGHT - 1) / most} />
        ))}
      </svg>
    </figure>
  )
}

function Bar({ bucket, x, scale }: { bucket: TrafficBucket; x: number; scale: number }) {
  const good = (bucket.calls - bucket.errors) * scale
  const bad = bucket.errors * scale
  return (
    <g>
      <title>{`${formatTime(bucket.at)}: ${bucket.calls} calls, ${bucket.errors} failed`}</title>
      {good > 0 && <rect className={styles.good} x={x + 1} y={HEIGHT - good} width="8" height={good} />}
      {bad > 0 && <rect className={styles.bad} x={x + 1} y={HEIGHT - good - bad} width="8" height={bad} />}
    </g>
  )
}

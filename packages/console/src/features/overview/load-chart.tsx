import type { KeyboardEvent, MouseEvent } from 'react'
import type { TrafficBucket } from '../../api/contract.ts'
import { formatCount, formatTime, plural } from '../../ui/text/format.ts'
import styles from './load-chart.module.css'

interface Props {
  readonly buckets: readonly TrafficBucket[]
  /** The bucket that is looked at. */
  readonly selected: number | undefined
  readonly onSelect: (index: number) => void
  readonly onOpen: () => void
}

const HEIGHT = 100
const WIDTH = 10
const TIMES = 4

/** Calls over time with both axes; arrows and clicks choose a moment, Enter opens its calls. */
export function LoadChart({ buckets, selected, onSelect, onOpen }: Props) {
  const most = roundUp(Math.max(4, ...buckets.map(({ calls }) => calls)))
  const current = selected ?? buckets.length - 1
  const move = (to: number) => onSelect(Math.min(Math.max(to, 0), buckets.length - 1))
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: buckets.length - 1 }[
      event.key
    ]
    if (event.key !== 'Enter' && to === undefined) return
    event.preventDefault()
    if (to === undefined) onOpen()
    else move(to)
  }
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    move(Math.floor(((event.clientX - left) / width) * buckets.length))
  }
  const scale = HEIGHT / most
  return (
    <div className={styles.chart}>
      <div className={styles.counts} aria-hidden>
        {[most, most / 2, 0].map((count) => (
          <span key={count}>{formatCount(count)}</span>
        ))}
      </div>
      <div
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label="Moment"
        aria-valuemin={0}
        aria-valuemax={Math.max(buckets.length - 1, 0)}
        aria-valuenow={Math.max(current, 0)}
        aria-valuetext={buckets[current] ? describe(buckets[current]) : 'no calls'}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <svg viewBox={`0 0 ${buckets.length * WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          {[0, 0.5, 1].map((part) => (
            <line key={part} className={styles.grid} x1="0" x2="100%" y1={HEIGHT * part} y2={HEIGHT * part} />
          ))}
          {selected !== undefined && (
            <rect className={styles.selected} x={selected * WIDTH} y="0" width={WIDTH} height={HEIGHT} />
          )}
          {buckets.map((bucket, index) => (
            <Bar key={bucket.at} bucket={bucket} x={index * WIDTH} scale={scale} />
          ))}
        </svg>
      </div>
      <div className={styles.times} aria-hidden>
        {ticks(buckets).map((at) => (
          <span key={at}>{formatTime(at).slice(0, -3)}</span>
        ))}
        <span>now</span>
      </div>
    </div>
  )
}

function Bar({
  bucket: { calls, errors, at },
  x,
  scale,
}: {
  bucket: TrafficBucket
  x: number
  scale: number
}) {
  if (calls === 0) return null
  const good = (calls - errors) * scale
  const bad = errors * scale
  return (
    <g>
      <title>{describe({ at, calls, errors })}</title>
      <rect className={styles.good} x={x + 1} y={HEIGHT - good} width={WIDTH - 2} height={good} />
      <rect className={styles.bad} x={x + 1} y={HEIGHT - good - bad} width={WIDTH - 2} height={bad} />
    </g>
  )
}

export function describe({ at, calls, errors }: TrafficBucket): string {
  return `${formatTime(at)}: ${plural(calls, 'call')}, ${formatCount(errors)} failed`
}

/** Some moments at equal distances, without the last, which is now. */
function ticks(buckets: readonly TrafficBucket[]): number[] {
  const step = Math.floor(buckets.length / TIMES)
  return step === 0 ? [] : Array.from({ length: TIMES }, (_, index) => buckets[index * step]!.at)
}

/** 1, 2, 5, 10, 20, 50, …: the half of it is a whole number from 4 on. */
function roundUp(count: number): number {
  const power = 10 ** Math.floor(Math.log10(count))
  const steps = [1, 2, 4, 6, 8, 10]
  return (steps.find((step) => step * power >= count) ?? 10) * power
}

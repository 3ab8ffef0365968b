import { useMemo } from 'react'
import { escapeControls, wireFilterValue, type WireRecord } from '../../api/contract.ts'
import { formatCount } from '../../ui/text/format.ts'
import { hasPart, quoted, togglePart } from './complete-filter.ts'
import styles from './facets.module.css'

const FIELDS = ['status', 'target', 'client', 'method'] as const
/** Values of one field; the filter finds the others. */
const MOST = 5

interface Props {
  /** The records that the filter lets through. */
  readonly records: readonly WireRecord[]
  readonly filter: string
  readonly onFilter: (filter: string) => void
}

/** What the exchanges have in common, with counts. A click narrows the filter, another one takes that back. */
export function Facets({ records, filter, onFilter }: Props) {
  const counted = useMemo(() => countFacets(records), [records])
  return (
    <div className={styles.facets}>
      {FIELDS.map((field) => (
        <fieldset key={field} className={styles.facet}>
          <legend>{field}</legend>
          {counted[field].slice(0, MOST).map(([value, count]) => {
            const part = `${field}:${quoted(value)}`
            return (
              <button
                key={value}
                type="button"
                aria-pressed={hasPart(filter, part)}
                onClick={() => onFilter(togglePart(filter, part))}
              >
                {escapeControls(value)} <span>{formatCount(count)}</span>
              </button>
            )
          })}
        </fieldset>
      ))}
    </div>
  )
}

type Counted = Record<(typeof FIELDS)[number], [value: string, count: number][]>

function countFacets(records: readonly WireRecord[]): Counted {
  const entries = FIELDS.map((field) => {
    const counts = new Map<string, number>()
    for (const record of records) {
      const value = wireFilterValue(field, record)
      if (value) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
    return [field, [...counts].sort((a, b) => b[1] - a[1])]
  })
  return Object.fromEntries(entries) as Counted
}

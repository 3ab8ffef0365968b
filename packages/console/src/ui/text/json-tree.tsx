import { ChevronDown, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import styles from './json-tree.module.css'
import { ShortText } from './long-text.tsx'
import { isBranch, writeJson } from '../../api/json.ts'

const SHOWN = 100
const DRAWN_AT_ONCE = 1_000

interface Props {
  readonly value: unknown
  readonly name?: string
  /** How many levels are open at first. */
  readonly open?: number
  /** A member that is closed at first, however deep it lies. */
  readonly folded?: string
}

export function JsonTree({ value, open = 2, folded = '' }: Props) {
  return (
    <div className={styles.tree}>
      <Node value={value} open={levelsToOpen(value, open)} folded={folded} />
    </div>
  )
}

/** As many levels as are wanted, and as can be drawn at once. */
function levelsToOpen(value: unknown, wanted: number): number {
  let level = [value]
  let count = 0
  for (let open = 0; open < wanted; open += 1) {
    level = level.flatMap((one) => (isBranch(one) ? Object.values(one).slice(0, SHOWN) : []))
    count += level.length
    if (count > DRAWN_AT_ONCE) return Math.max(open, 1)
  }
  return wanted
}

function Node({ value, name, open = 0, folded = '' }: Props) {
  if (isBranch(value)) return <Branch value={value} name={name} open={open} folded={folded} />
  return (
    <div className={styles.leaf}>
      {name !== undefined && <Name name={name} />}
      <Leaf value={value} />
    </div>
  )
}

interface BranchProps {
  readonly value: object
  readonly name: string | undefined
  readonly open: number
  readonly folded: string
}

function Branch({ value, name, open, folded }: BranchProps) {
  const entries = Object.entries(value)
  const [isOpen, setOpen] = useState(open > 0 && (folded === '' || name !== folded))
  const [limit, setLimit] = useState(SHOWN)
  const [left, right] = Array.isArray(value) ? '[]' : '{}'
  const Icon = isOpen ? ChevronDown : ChevronRight
  if (entries.length === 0) {
    return (
      <div className={styles.leaf}>
        {name !== undefined && <Name name={name} />}
        <span className={styles.mark}>{`${left}${right}`}</span>
      </div>
    )
  }
  return (
    <div>
      <button type="button" className={styles.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon size={12} aria-hidden />
        {name !== undefined && <Name name={name} />}
        <span className={styles.mark}>{isOpen ? left : `${left} ${entries.length} ${right}`}</span>
      </button>
      {isOpen && (
        <div className={styles.children}>
          {entries.slice(0, limit).map(([key, child]) => (
            <Node key={key} value={child} name={key} open={open - 1} folded={folded} />
          ))}
          {entries.length > limit && (
            <button type="button" className={styles.toggle} onClick={() => setLimit(limit + 10 * SHOWN)}>
              … {entries.length - limit} more
            </button>
          )}
        </div>
      )}
    </div>
  )
}

function Name({ name }: { name: string }) {
  return <span className={styles.name}>{name}: </span>
}

function Leaf({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    return (
      <span className={styles.string}>
        <ShortText text={writeJson(value)} />
      </span>
    )
  }
  return <span className={styles.other}>{String(value)}</span>
}

import { JsonTree } from '../../ui/json-tree.tsx'
import table from '../../ui/table.module.css'
import styles from './result-view.module.css'

const ROWS = 200

/** A table when the data is one, else a tree. */
export function Data({ value }: { value: unknown }) {
  const rows = rowsOf(value)
  if (!rows) return <JsonTree value={value} open={3} />
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, 20)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
    <section className={styles.scroll} tabIndex={0}>
      <table className={table.table}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column}>{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{cell(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS && <p className={styles.muted}>{rows.length - ROWS} more rows; see JSON.</p>}
    </section>
  )
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Two or more flat objects, alone or as the only member of an object. */
function rowsOf(value: unknown): Record<string, unknown>[] | undefined {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const members = Object.values(value)
    return members.length === 1 && Array.isArray(members[0]) ? rowsOf(members[0]) : undefined
  }
  if (!Array.isArray(value) || value.length < 2) return undefined
  const isFlat = (row: unknown) =>
    row !== null &&
    typeof row === 'object' &&
    !Array.isArray(row) &&
    Object.values(row).filter((member) => member !== null && typeof member === 'object').length <= 1
  return value.every(isFlat) ? (value as Record<string, unknown>[]) : undefined
}
